package io.headgate.redis.limits;

/** Requests of a limiter that end in time. */
interface Waits {

    /** Ends the waits of those whose time is up before the next look, or without a fallback those whose time is up. */
    void endLate(long nowNanos, long nextLookNanos);

    /** Whether there are none. */
    boolean isIdle();
}
