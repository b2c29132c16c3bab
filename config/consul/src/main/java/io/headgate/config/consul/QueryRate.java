package io.headgate.config.consul;

import java.time.Duration;

/**
 * Limits how often queries that return at once are sent: a token bucket with a burst of two, as Consul's documentation recommends it. A
 * query that has waited uses no more than what was refilled meanwhile. For use by one thread.
 */
final class QueryRate {

    /** How long the bucket takes to refill one query. */
    static final Duration PERIOD = Duration.ofMillis(500);

    private static final int BURST = 2;

    private final long periodNanos = PERIOD.toNanos();
    private long fullNanos;

    /**
     * Creates a full bucket.
     *
     * @param nowNanos the time, by {@link System#nanoTime}
     */
    QueryRate(long nowNanos) {
        this.fullNanos = nowNanos;
    }

    /** Takes one query from the bucket, and returns how long to wait before it is sent. */
    long nextDelayNanos(long nowNanos) {
        long base = fullNanos - nowNanos > 0 ? fullNanos : nowNanos;
        fullNanos = base + periodNanos;
        return Math.max(0, fullNanos - nowNanos - BURST * periodNanos);
    }
}
