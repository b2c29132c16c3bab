/** The settings of connections to Redis, which the engines of limits and of queues share. */
@NullMarked
package io.headgate.redis;

import org.jspecify.annotations.NullMarked;
