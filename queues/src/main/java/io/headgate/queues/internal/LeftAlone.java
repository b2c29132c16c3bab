package io.headgate.queues.internal;

import java.util.HashSet;
import java.util.Set;

/**
 * The shards of a queue that a worker leaves alone for a while, since they failed: it goes on with the others. All of them come to
 * their turn again together, after a pause that is twice as long as the last one when that has just ended. Guarded by the lock of the
 * loop.
 */
final class LeftAlone {

    private final Set<Integer> shards = new HashSet<>();
    private long pauseNanos;
    private long untilNanos;

    /** Them. */
    Set<Integer> shards() {
        return Set.copyOf(shards);
    }

    /** Ends the pause if it is over; whether that was so. */
    boolean ends(long now) {
        boolean ends = !shards.isEmpty() && isOver(now);
        if (ends) {
            shards.clear();
        }
        return ends;
    }

    /** Ends the pause before its time. */
    void end() {
        shards.clear();
    }

    private boolean isOver(long now) {
        return untilNanos - now <= 0;
    }

    /** These have failed in a turn that was sent then. */
    void failed(Set<Integer> failed, long sentNanos, long now) {
        if (failed.isEmpty()) {
            return;
        }
        if (shards.isEmpty() || isOver(now)) {
            boolean anew = sentNanos - untilNanos > NextTurn.LONGEST_WAIT_NANOS;
            pauseNanos = NextTurn.pauseAfter(anew ? 0 : pauseNanos);
            untilNanos = now + pauseNanos;
        }
        shards.addAll(failed);
    }

    /** The earlier of a time and the end of the pause. */
    long endOr(long atNanos) {
        return !shards.isEmpty() && untilNanos - atNanos < 0 ? untilNanos : atNanos;
    }
}
