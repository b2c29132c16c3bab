package io.headgate.redis.limits.internal.leases;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.RuleDecision;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The permits that this process has leased for certain ids: the current lease, and possibly the next one, which is requested
 * when half of the current one is spent or three quarters of its time have passed (double buffering). The size adapts: it doubles when
 * the next lease is due within a quarter of the lease time, and halves when it is due after more than half of it. It is never more than
 * half of what remained in Redis at its last reply.
 *
 * <p>Spending takes no lock; a lock guards the exchange of leases.
 */
public final class LeasedPermits {

    /** The minimum size of a lease; a smaller one would save too few calls. */
    public static final long MIN_PERMITS = 7;

    /** Requests leases, and refunds unspent permits. */
    interface Source {

        /** Requests a lease, and calls {@link LeasedPermits#leased} with the result. */
        void lease(LeasedPermits permits, long count);

        /**
         * Refunds the unspent permits of a lease.
         *
         * @param unspent the unspent permits, as a decision that has charged only them
         * @param charged the number of permits that were leased
         */
        void refund(Attributes attributes, Decision unspent, long charged);
    }

    private enum Stage {
        OPEN,
        RETURNED,
        FORGOTTEN
    }

    private final Source source;
    private final Attributes attributes;
    private final long leaseMicros;
    private final AtomicBoolean leasing = new AtomicBoolean();
    private final ReentrantLock lock = new ReentrantLock();

    private volatile @Nullable PermitLease current;
    private volatile @Nullable PermitLease next;

    /** The permits that remained in Redis when it last replied. */
    private volatile long remainingInRedis;

    /** No lease is requested before this time: a lease time after a failed request. */
    private volatile long notBeforeMicros;

    private volatile long lastRequestMicros;

    private volatile Stage stage = Stage.OPEN;
    private long remainingAtSweep;

    /** When permits were last leased, or a sweep last found that some were spent. */
    private long changedMicros;

    /** Creates an instance without a lease. */
    LeasedPermits(Source source, Attributes attributes, long leaseMicros, long nowMicros) {
        this.source = source;
        this.attributes = attributes;
        this.leaseMicros = leaseMicros;
        this.lastRequestMicros = nowMicros;
        this.notBeforeMicros = nowMicros;
    }

    /** The attributes that contain the ids, without other attributes of requests. */
    Attributes attributes() {
        return attributes;
    }

    /** Spends leased permits, and requests the next lease when it is due; null when there are too few permits. */
    @Nullable
    Decision spend(long permits, long nowMicros) {
        PermitLease lease = current;
        long remaining = lease == null ? -1 : lease.spend(permits, nowMicros);
        if (lease == null || remaining < 0) {
            lease = next;
            remaining = lease == null ? -1 : lease.spend(permits, nowMicros);
            if (lease == null || remaining < 0) {
                return null;
            }
            promote(lease);
        }
        if (next == null && (remaining <= lease.permits() / 2 || nowMicros >= lease.expiryMicros() - leaseMicros / 4)) {
            request(sizeAfter(lease, nowMicros), nowMicros);
        }
        return lease.decision(permits, remaining);
    }

    /**
     * The size of the next lease: larger if it is due within a quarter of the lease time, smaller if it is due after more than half of it.
     */
    private long sizeAfter(PermitLease lease, long nowMicros) {
        long lasted = nowMicros - lease.fromMicros();
        return lasted < leaseMicros / 4
                ? lease.permits() * 2 + 1
                : lasted > leaseMicros / 2 ? lease.permits() / 2 : lease.permits();
    }

    /** Replaces the current lease, which has too few permits, by the next one. */
    private void promote(PermitLease lease) {
        lock.lock();
        try {
            if (next == lease) {
                refund(current);
                current = lease;
                next = null;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Stores the remaining permits of a decision of Redis, and requests a lease if there is none. */
    void learn(Decision counted, long demand, long nowMicros) {
        lastRequestMicros = nowMicros;
        remainingInRedis = leastRemaining(counted);
        PermitLease lease = current;
        if ((lease == null || lease.isOver(nowMicros)) && next == null) {
            request(demand, nowMicros);
        }
    }

    private void request(long wanted, long nowMicros) {
        // A sliding window stores an entry for each bit of a charge. If all bits are set, any part can be refunded
        // without a new entry.
        long permits = Long.highestOneBit(Math.min(wanted, remainingInRedis / 2) + 1) - 1;
        if (permits >= MIN_PERMITS
                && stage == Stage.OPEN
                && nowMicros >= notBeforeMicros
                && !leasing.get()
                && leasing.compareAndSet(false, true)) {
            source.lease(this, permits);
        }
    }

    /**
     * Handles the result of a requested lease.
     *
     * @param requestedMicros when the request was sent
     * @param decision null when the request failed
     */
    void leased(long requestedMicros, @Nullable Decision decision, long nowMicros) {
        lock.lock();
        try {
            if (decision == null) {
                notBeforeMicros = nowMicros + leaseMicros;
            } else {
                remainingInRedis = leastRemaining(decision);
                if (decision.allowed()) {
                    accept(new PermitLease(decision, requestedMicros, nowMicros, leaseMicros), nowMicros);
                }
            }
        } finally {
            lock.unlock();
            leasing.set(false);
        }
    }

    private void accept(PermitLease lease, long nowMicros) {
        PermitLease first = current;
        if (stage != Stage.OPEN) {
            if (stage == Stage.RETURNED) {
                refund(lease);
            }
        } else if (first == null || first.isOver(nowMicros)) {
            refund(first);
            current = lease;
        } else {
            // A thread that saw no next lease may have requested this one just after that one had arrived.
            refund(next);
            next = lease;
        }
        changedMicros = nowMicros;
    }

    private static long leastRemaining(Decision decision) {
        long least = Long.MAX_VALUE;
        for (RuleDecision rule : decision.rules()) {
            least = Math.min(least, rule.remaining());
        }
        return least;
    }

    /** Refunds permits that expired or are not being spent; returns whether this object had no requests for long and can be removed. */
    boolean isIdleAfterSweep(long nowMicros) {
        lock.lock();
        try {
            PermitLease first = current;
            if (first != null && nowMicros >= first.expiryMicros()) {
                refund(first);
                current = next;
                next = null;
            }
            long remaining = remaining(current) + remaining(next);
            if (remaining != remainingAtSweep) {
                remainingAtSweep = remaining;
                changedMicros = nowMicros;
                lastRequestMicros = nowMicros;
            } else if (nowMicros - changedMicros >= leaseMicros / 2) {
                refundAll();
            }
            boolean isIdle = !leasing.get() && nowMicros - lastRequestMicros >= 2 * leaseMicros;
            if (isIdle) {
                stage = Stage.RETURNED;
                refundAll();
            }
            return isIdle;
        } finally {
            lock.unlock();
        }
    }

    /** Stops leasing, and refunds all unspent permits, including those of a lease that still arrives. */
    void end() {
        lock.lock();
        try {
            stage = Stage.RETURNED;
            refundAll();
        } finally {
            lock.unlock();
        }
    }

    /** Stops leasing without a refund, as the counter in Redis was reset. */
    void forget() {
        lock.lock();
        try {
            stage = Stage.FORGOTTEN;
            end(current);
            end(next);
            current = null;
            next = null;
        } finally {
            lock.unlock();
        }
    }

    private void refundAll() {
        refund(current);
        refund(next);
        current = null;
        next = null;
        remainingAtSweep = 0;
    }

    private void refund(@Nullable PermitLease lease) {
        long unspent = end(lease);
        if (lease != null && unspent > 0) {
            source.refund(attributes, lease.decision(unspent, 0), lease.permits());
        }
    }

    private static long end(@Nullable PermitLease lease) {
        return lease == null ? 0 : lease.end();
    }

    private static long remaining(@Nullable PermitLease lease) {
        return lease == null ? 0 : lease.remaining();
    }
}
