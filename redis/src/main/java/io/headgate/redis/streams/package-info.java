/**
 * Streams on Redis, as {@link io.headgate.redis.queues.RedisQueues} makes them. What is public here is for that engine, not
 * for users.
 */
@NullMarked
package io.headgate.redis.streams;

import org.jspecify.annotations.NullMarked;
