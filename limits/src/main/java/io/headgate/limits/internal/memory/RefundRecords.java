package io.headgate.limits.internal.memory;

import java.util.Comparator;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Records which decisions an engine in memory has refunded, so that a second refund returns nothing.
 *
 * <p>The number of records is bounded. A full table drops the record of the oldest decision, and from then on refuses to refund
 * decisions that are not newer than that one, unless its charge had stopped counting. So no decision is refunded twice. Safe
 * for use by any number of threads.
 */
final class RefundRecords {

    /**
     * A refund of a decision.
     *
     * @param chargeId identifies the decision among those of the policy
     * @param decidedAtMicros when it was decided
     * @param countsUntilMicros when its charge stops counting under every rule
     */
    record Refund(String policy, long chargeId, long decidedAtMicros, long countsUntilMicros) {}

    private static final Comparator<Refund> OLDEST_DECISION_FIRST = Comparator.comparingLong(Refund::decidedAtMicros)
            .thenComparingLong(Refund::chargeId)
            .thenComparing(Refund::policy);

    private final ReentrantLock lock = new ReentrantLock();
    private final TreeSet<Refund> records = new TreeSet<>(OLDEST_DECISION_FIRST);
    private final int most;
    private long refusedUntilMicros = Long.MIN_VALUE;

    /** A table of up to {@code most} records. */
    RefundRecords(int most) {
        this.most = most;
    }

    /**
     * Refunds a decision, unless it was refunded before.
     *
     * @param takingBack refunds it, and returns its permits; a refund of none is not recorded
     * @return the number of permits refunded now
     */
    long once(Refund refund, long nowMicros, LongSupplier takingBack) {
        lock.lock();
        try {
            if (refund.decidedAtMicros() <= refusedUntilMicros || records.contains(refund)) {
                return 0;
            }
            long permits = takingBack.getAsLong();
            if (permits > 0) {
                records.add(refund);
                dropBeyondBound(nowMicros);
            }
            return permits;
        } finally {
            lock.unlock();
        }
    }

    private void dropBeyondBound(long nowMicros) {
        while (records.size() > most) {
            Refund oldest = records.pollFirst();
            if (oldest != null && oldest.countsUntilMicros() > nowMicros) {
                refusedUntilMicros = Math.max(refusedUntilMicros, oldest.decidedAtMicros());
            }
        }
    }

    /** The number of records. */
    int size() {
        lock.lock();
        try {
            return records.size();
        } finally {
            lock.unlock();
        }
    }

    /** Drops all records. */
    void clear() {
        lock.lock();
        try {
            records.clear();
        } finally {
            lock.unlock();
        }
    }
}
