package io.headgate.queues.internal;

import java.util.concurrent.TimeUnit;

/**
 * When a worker asks its queue next: at once when that has signalled, else at the time that the last turn told, and at the latest
 * after a second, so a lost signal costs no more than that. Before a turn that failed is made again there is a pause, each time
 * twice as long as the last one. Guarded by the lock of the loop.
 */
final class NextTurn {

    static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private boolean signalled = true;
    private long moreAtNanos;
    private long pauseNanos;

    void signalled() {
        signalled = true;
    }

    /** A turn claims now: what is signalled from here on is for the next one. */
    void claims() {
        signalled = false;
    }

    /** A turn has claimed, and told when there may be more. */
    void claimed(long moreInMicros) {
        moreAtNanos = System.nanoTime() + Math.min(LONGEST_WAIT_NANOS, moreInMicros * 1000);
    }

    void succeeded() {
        pauseNanos = 0;
    }

    void failed() {
        pauseNanos = pauseAfter(pauseNanos);
        moreAtNanos = System.nanoTime() + pauseNanos;
        signalled = true;
    }

    /** How long to pause when what was tried after a pause has failed again; after 0, when it has failed. */
    static long pauseAfter(long lastNanos) {
        return Math.min(LONGEST_WAIT_NANOS, Math.max(SHORTEST_PAUSE_NANOS, 2 * lastNanos));
    }

    /** Whether nothing is asked for now, as the last turn failed. */
    boolean pauses(long now) {
        return pauseNanos > 0 && moreAtNanos - now > 0;
    }

    /** Whether there may be jobs to claim. */
    boolean mayBeMore(long now) {
        return signalled || moreAtNanos - now <= 0;
    }

    /** When to look again if nothing happens until then. */
    long at(long now) {
        long latest = now + LONGEST_WAIT_NANOS;
        return moreAtNanos - latest < 0 && moreAtNanos - now > 0 ? moreAtNanos : latest;
    }
}
