/** Queues and streams on Redis, with Lettuce. Start at {@link io.headgate.redis.queues.RedisQueueEngine}. */
@NullMarked
package io.headgate.redis.queues;

import org.jspecify.annotations.NullMarked;
