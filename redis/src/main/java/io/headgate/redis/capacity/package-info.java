/** Capacity plans: estimates of the memory and the commands that limits and queues will need in Redis. */
@NullMarked
package io.headgate.redis.capacity;

import org.jspecify.annotations.NullMarked;
