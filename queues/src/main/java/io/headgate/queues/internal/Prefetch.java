package io.headgate.queues.internal;

/**
 * How many jobs a worker takes in hand ahead of their turn: what it handles in a tenth of a second, so that none waits long
 * in a process while another one has nothing to do; and at least as many as it can handle at once. Guarded by the loop.
 */
final class Prefetch {

    private static final double SECONDS_AHEAD = 0.1;
    private static final double NANOS = 1e9;
    private static final double WEIGHT = 0.3;
    private static final long LEAST_SPAN_NANOS = 10_000_000;

    private final int concurrency;
    private double perSecond;
    private long handled;
    private long sinceNanos;

    Prefetch(int concurrency, long nowNanos) {
        this.concurrency = concurrency;
        this.sinceNanos = nowNanos;
    }

    /** Notes that jobs were handled. */
    void handled(int jobs) {
        handled += jobs;
    }

    /** How many jobs to have in hand. */
    int target(long nowNanos) {
        long span = nowNanos - sinceNanos;
        if (span >= LEAST_SPAN_NANOS) {
            double now = handled / (span / NANOS);
            perSecond = perSecond == 0 ? now : perSecond + WEIGHT * (now - perSecond);
            handled = 0;
            sinceNanos = nowNanos;
        }
        double ahead = perSecond * SECONDS_AHEAD;
        return Math.max(concurrency, (int) Math.min(JobBounds.MAX_BATCH, concurrency + ahead));
    }
}
