package io.headgate.redis.limits;

import io.headgate.limits.TimeSource;

/** Lets benchmarks set the time of decisions, so that ten windows of a minute pass in seconds. It is in this package because the
 * engine does not offer this to users.
 */
public final class PassedTime {

    private PassedTime() {}

    /** Sets the time source of the engine, in place of the time of Redis. */
    public static RedisLimitEngine.Builder in(RedisLimitEngine.Builder builder, TimeSource time) {
        return builder.time(time);
    }
}
