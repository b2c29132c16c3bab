package io.headgate.limits.internal.memory;

import java.util.Comparator;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The records of refunded decisions of an engine in memory, so that a second refund of a decision returns 0.
 *
 * <p>The number of records is bounded. If there are too many, the record of the oldest decision is dropped. Unless the charge of that
 * decision had expired, no decision that is as old or older is refunded from then on. So no decision is refunded twice. Safe for use by
 * any number of threads.
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
    /** Decisions up to this time are not refunded, as records of their refunds may have been dropped. */
    private long refusedUntilMicros = Long.MIN_VALUE;

    /** Creates an empty table of up to {@code most} records. */
    RefundRecords(int most) {
        this.most = most;
    }

    /**
     * Refunds a decision, unless it was refunded before.
     *
     * @param refunding refunds the decision, and returns the refunded permits; a refund of 0 is not recorded
     * @return the number of permits refunded now
     */
    long once(Refund refund, long nowMicros, LongSupplier refunding) {
        lock.lock();
        try {
            if (refund.decidedAtMicros() <= refusedUntilMicros || records.contains(refund)) {
                return 0;
            }
            long permits = refunding.getAsLong();
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
