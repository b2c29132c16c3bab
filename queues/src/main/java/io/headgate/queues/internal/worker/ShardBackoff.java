package io.headgate.queues.internal.worker;

import java.util.HashSet;
import java.util.Set;

/**
 * The shards that a worker excludes from its polls because they failed, with exponential backoff; it continues with the others. All
 * excluded shards return together when the backoff ends. If a poll that is sent within a second after that fails for a shard, the next
 * backoff is twice as long, up to a second. This class has no clock. Not safe for use by several threads: the worker's lock guards it.
 */
final class ShardBackoff {

    private final Set<Integer> shards = new HashSet<>();
    private long backoffNanos;
    private long untilNanos;

    /** The excluded shards. */
    Set<Integer> shards() {
        return shards.isEmpty() ? Set.of() : Set.copyOf(shards);
    }

    /** Includes all shards again when the backoff has ended; returns whether it has just ended. */
    boolean endIfOver(long nowNanos) {
        boolean ends = !shards.isEmpty() && isOver(nowNanos);
        if (ends) {
            shards.clear();
        }
        return ends;
    }

    /** Ends the backoff now. */
    void end() {
        shards.clear();
    }

    private boolean isOver(long nowNanos) {
        return untilNanos - nowNanos <= 0;
    }

    /** Excludes the shards that failed in a poll that was sent at {@code sentNanos}. */
    void failed(Set<Integer> failed, long sentNanos, long nowNanos) {
        if (failed.isEmpty()) {
            return;
        }
        if (shards.isEmpty() || isOver(nowNanos)) {
            boolean restarts = sentNanos - untilNanos > PollSchedule.MAX_WAIT_NANOS;
            backoffNanos = PollSchedule.backoffAfter(restarts ? 0 : backoffNanos);
            untilNanos = nowNanos + backoffNanos;
        }
        shards.addAll(failed);
    }

    /** Returns the end of the backoff, but at most {@code atNanos}; {@code atNanos} if no shard is excluded. */
    long endOr(long atNanos) {
        return !shards.isEmpty() && untilNanos - atNanos < 0 ? untilNanos : atNanos;
    }
}
