/** Plans: the memory and the commands that limits and queues will need of Redis. */
@NullMarked
package io.headgate.redis.capacity;

import org.jspecify.annotations.NullMarked;
