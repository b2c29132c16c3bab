package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.LimiterException;

/** The state of an engine's Redis, which in-flight limits read and report. */
public interface RedisState {

    /** Whether calls are sent to Redis; false during an outage. */
    boolean isAvailable();

    /** Reports a reply in time. */
    void answered();

    /** Reports a failure, or that no reply came in time. */
    void failed(LimiterException problem);

    /** Registers this instance as one of those that share limits; does nothing when called again. */
    void shareLimits();

    /** The number of instances that share limits during an outage, including this one; at least 1. */
    int instances();

    /** Reports that there are holds that must be sent to Redis. */
    void requireSync();
}
