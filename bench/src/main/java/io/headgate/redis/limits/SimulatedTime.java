package io.headgate.redis.limits;

import io.headgate.limits.TimeSource;

/**
 * Sets the time of decisions for benchmarks, so that ten windows of a minute pass in seconds. It is in this package because the method
 * of the engine's builder is package-private.
 */
public final class SimulatedTime {

    private SimulatedTime() {}

    /** Sets the time source of the engine, in place of the time of Redis. */
    public static RedisLimitEngine.Builder on(RedisLimitEngine.Builder builder, TimeSource time) {
        return builder.time(time);
    }
}
