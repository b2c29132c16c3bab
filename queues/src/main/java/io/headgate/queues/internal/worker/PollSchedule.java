package io.headgate.queues.internal.worker;

import java.util.concurrent.TimeUnit;

/**
 * When a worker polls: immediately after a signal of its source that jobs may be due, otherwise at the time from which the last poll
 * expected more due jobs, and at least once a second, so that a lost signal delays a job by at most a second. After a failed poll it
 * waits, with exponential backoff from 20 ms to a second. It has no clock and no timer. Not safe for use by several threads: the worker's
 * lock guards it.
 */
final class PollSchedule {

    static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long MIN_BACKOFF_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private boolean signalled = true;
    private long moreAtNanos;
    private long backoffNanos;

    /** More jobs may be due now. */
    void signalled() {
        signalled = true;
    }

    /** A poll that claims is about to be sent; a later signal triggers another poll. */
    void claimSent() {
        signalled = false;
    }

    /** A poll has claimed, and reported the time after which more jobs may be due. */
    void claimed(long moreInMicros, long nowNanos) {
        moreAtNanos = nowNanos + Math.min(MAX_WAIT_NANOS, TimeUnit.MICROSECONDS.toNanos(moreInMicros));
    }

    void pollSucceeded() {
        backoffNanos = 0;
    }

    void pollFailed(long nowNanos) {
        backoffNanos = backoffAfter(backoffNanos);
        moreAtNanos = nowNanos + backoffNanos;
        // The failed poll may have been the reply to a signal.
        signalled = true;
    }

    /** Returns the next backoff, twice as long as the last one within the bounds; the last one is 0 before the first failure. */
    static long backoffAfter(long lastNanos) {
        return Math.min(MAX_WAIT_NANOS, Math.max(MIN_BACKOFF_NANOS, 2 * lastNanos));
    }

    /** Whether no poll may be sent, because the last one failed and the backoff has not ended. */
    boolean isBackingOff(long nowNanos) {
        return backoffNanos > 0 && moreAtNanos - nowNanos > 0;
    }

    /** Whether jobs may be due. */
    boolean isClaimDue(long nowNanos) {
        return signalled || moreAtNanos - nowNanos <= 0;
    }

    /** Returns when to send the next poll if there is no signal. */
    long nextPollNanos(long nowNanos) {
        long latest = nowNanos + MAX_WAIT_NANOS;
        // If jobs are due already, the worker has no room for them, and polls when a handler ends.
        return moreAtNanos - latest < 0 && moreAtNanos - nowNanos > 0 ? moreAtNanos : latest;
    }
}
