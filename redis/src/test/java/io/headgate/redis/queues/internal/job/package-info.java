@NullMarked
package io.headgate.redis.queues.internal.job;

import org.jspecify.annotations.NullMarked;
