package io.headgate.redis.limits;

import io.headgate.limits.TimeSource;

/**
 * Lets the benchmarks decide by a time that they pass in, so that ten windows of a minute pass in seconds. It stands in
 * this package because the engine offers that to nobody else.
 */
public final class PassedTime {

    private PassedTime() {}

    /** The same builder, for an engine that decides by this time instead of Redis's own. */
    public static RedisLimitEngine.Builder in(RedisLimitEngine.Builder builder, TimeSource time) {
        return builder.time(time);
    }
}
