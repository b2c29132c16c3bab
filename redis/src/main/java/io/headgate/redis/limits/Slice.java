package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.RuleDecision;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What this process has leased of the permits of certain ids: a grant that is spent, and perhaps the next one, which is asked
 * for when half of the first is spent. A grant is to last half a lease: where one was spent sooner the next is larger, where it
 * lasted longer the next is smaller; and never more than half of what remained.
 */
final class Slice {

    /** Fewer would not spare much. */
    static final long LEAST_PERMITS = 7;

    private enum Stage {
        OPEN,
        RETURNED,
        FORGOTTEN
    }

    private final Leases leases;
    private final Attributes attributes;
    private final long leaseMicros;
    private final AtomicBoolean leasing = new AtomicBoolean();
    private final ReentrantLock changing = new ReentrantLock();

    private volatile @Nullable Grant spending;
    private volatile @Nullable Grant next;
    private volatile long remaining;
    private volatile long notBeforeMicros;
    private volatile long seenMicros;

    private volatile Stage stage = Stage.OPEN;
    private long leftBefore;
    private long changedMicros;

    /** One without a grant. */
    Slice(Leases leases, Attributes attributes, long leaseMicros, long nowMicros) {
        this.leases = leases;
        this.attributes = attributes;
        this.leaseMicros = leaseMicros;
        this.seenMicros = nowMicros;
        this.notBeforeMicros = nowMicros;
    }

    /** Of whom, and nothing else of what was asked. */
    Attributes attributes() {
        return attributes;
    }

    /** Spends permits that are leased; null when there are not as many. */
    @Nullable
    Decision spend(long permits, long nowMicros) {
        Grant grant = spending;
        long left = grant == null ? -1 : grant.spend(permits, nowMicros);
        if (grant == null || left < 0) {
            grant = next;
            left = grant == null ? -1 : grant.spend(permits, nowMicros);
            if (grant == null || left < 0) {
                return null;
            }
            takeUp(grant);
        }
        if (next == null && (left <= grant.permits() / 2 || nowMicros >= grant.untilMicros() - leaseMicros / 4)) {
            lease(afterIt(grant, nowMicros), nowMicros);
        }
        return grant.decision(permits, left);
    }

    /** How many permits to lease after a grant, by how long half of it, or most of its time, has lasted. */
    private long afterIt(Grant grant, long nowMicros) {
        long lasted = nowMicros - grant.fromMicros();
        return lasted < leaseMicros / 4
                ? grant.permits() * 2 + 1
                : lasted > leaseMicros / 2 ? grant.permits() / 2 : grant.permits();
    }

    /** The one before is all spent, or nearly. */
    private void takeUp(Grant grant) {
        changing.lock();
        try {
            if (next == grant) {
                giveBack(spending);
                spending = grant;
                next = null;
            }
        } finally {
            changing.unlock();
        }
    }

    /** Learns what somebody was answered who was not served from here, as so many were asked for. */
    void learn(Decision counted, long asked, long nowMicros) {
        seenMicros = nowMicros;
        remaining = least(counted);
        Grant grant = spending;
        if ((grant == null || grant.isOver(nowMicros)) && next == null) {
            lease(asked, nowMicros);
        }
    }

    private void lease(long wanted, long nowMicros) {
        // A sliding window keeps an entry for each bit: where all are set, any part is taken back without another
        // entry.
        long permits = Long.highestOneBit(Math.min(wanted, remaining / 2) + 1) - 1;
        if (permits >= LEAST_PERMITS
                && stage == Stage.OPEN
                && nowMicros >= notBeforeMicros
                && !leasing.get()
                && leasing.compareAndSet(false, true)) {
            leases.lease(this, permits);
        }
    }

    /** What came of a lease. */
    void leased(Ask ask, @Nullable Decision decision, long nowMicros) {
        changing.lock();
        try {
            if (decision == null) {
                notBeforeMicros = nowMicros + leaseMicros;
            } else {
                remaining = least(decision);
                if (decision.allowed()) {
                    take(new Grant(decision, ask.askedMicros(), nowMicros, leaseMicros), nowMicros);
                }
            }
        } finally {
            changing.unlock();
            leasing.set(false);
        }
    }

    private void take(Grant grant, long nowMicros) {
        Grant first = spending;
        if (stage != Stage.OPEN) {
            if (stage == Stage.RETURNED) {
                giveBack(grant);
            }
        } else if (first == null || first.isOver(nowMicros)) {
            giveBack(first);
            spending = grant;
        } else {
            // There is one where somebody saw none, and asked when that was answered already.
            giveBack(next);
            next = grant;
        }
        changedMicros = nowMicros;
    }

    private static long least(Decision decision) {
        long least = Long.MAX_VALUE;
        for (RuleDecision rule : decision.rules()) {
            least = Math.min(least, rule.remaining());
        }
        return least;
    }

    /** Gives back what can't or won't be spent any more; true when nobody has asked for so long that it is of no use. */
    boolean isIdleAfterSweep(long nowMicros) {
        changing.lock();
        try {
            Grant first = spending;
            if (first != null && nowMicros >= first.untilMicros()) {
                giveBack(first);
                spending = next;
                next = null;
            }
            long left = left(spending) + left(next);
            if (left != leftBefore) {
                leftBefore = left;
                changedMicros = nowMicros;
                seenMicros = nowMicros;
            } else if (nowMicros - changedMicros >= leaseMicros / 2) {
                giveBackAll();
            }
            boolean isIdle = !leasing.get() && nowMicros - seenMicros >= 2 * leaseMicros;
            if (isIdle) {
                stage = Stage.RETURNED;
                giveBackAll();
            }
            return isIdle;
        } finally {
            changing.unlock();
        }
    }

    /** Leases no more, and gives back what is left, and what is still to come. */
    void end() {
        changing.lock();
        try {
            stage = Stage.RETURNED;
            giveBackAll();
        } finally {
            changing.unlock();
        }
    }

    /** Leases no more; what it has was forgotten where it was counted. */
    void forget() {
        changing.lock();
        try {
            stage = Stage.FORGOTTEN;
            end(spending);
            end(next);
            spending = null;
            next = null;
        } finally {
            changing.unlock();
        }
    }

    private void giveBackAll() {
        giveBack(spending);
        giveBack(next);
        spending = null;
        next = null;
        leftBefore = 0;
    }

    private void giveBack(@Nullable Grant grant) {
        long left = end(grant);
        if (grant != null && left > 0) {
            leases.giveBack(attributes, grant.decision(left, 0), grant.permits());
        }
    }

    private static long end(@Nullable Grant grant) {
        return grant == null ? 0 : grant.end();
    }

    private static long left(@Nullable Grant grant) {
        return grant == null ? 0 : grant.left();
    }
}
