@NullMarked
package io.headgate.redis.queues.internal.audit;

import org.jspecify.annotations.NullMarked;
