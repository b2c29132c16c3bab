/** Limits on Redis, over Lettuce: one decision, one script call. Start at {@link io.headgate.redis.limits.RedisLimitEngine}. */
@NullMarked
package io.headgate.redis.limits;

import org.jspecify.annotations.NullMarked;
