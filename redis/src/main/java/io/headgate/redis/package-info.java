/** Limits on Redis, over Lettuce: one decision, one script call. Start at {@link io.headgate.redis.RedisLimits}. */
@NullMarked
package io.headgate.redis;

import org.jspecify.annotations.NullMarked;
