@NullMarked
package io.headgate.redis.queues.internal.stream;

import org.jspecify.annotations.NullMarked;
