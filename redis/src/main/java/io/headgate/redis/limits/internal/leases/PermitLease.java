package io.headgate.redis.limits.internal.leases;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.decision.EngineDecisions;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A lease of permits: they were charged in Redis at once, and are spent here until none remain or the lease expires. No permit is
 * spent twice, whatever the number of threads: the count changes by compare-and-set.
 */
final class PermitLease {

    /** The clocks of this process and of Redis may drift apart by a thousandth of the time that they measure. */
    private static final int PARTS_OF_DRIFT = 1000;

    private final Decision charged;
    private final long fromMicros;
    private final long expiryMicros;
    private final AtomicLong remaining;

    /**
     * Creates the lease of an admitted request.
     *
     * @param charged the decision that admitted the request
     * @param requestedMicros when the request was sent, by the clock of this process: before its permits were charged
     * @param fromMicros when the reply arrived
     * @param leaseMicros how long permits may be spent after they were charged
     */
    PermitLease(Decision charged, long requestedMicros, long fromMicros, long leaseMicros) {
        this.charged = charged;
        this.fromMicros = fromMicros;
        this.expiryMicros = requestedMicros + spendableMicros(charged, leaseMicros);
        this.remaining = new AtomicLong(charged.charged());
    }

    /** A lease ends with the window that it was charged to. */
    private static long spendableMicros(Decision charged, long leaseMicros) {
        long micros = leaseMicros;
        for (RuleDecision rule : charged.rules()) {
            Limit limit = rule.rule().limit();
            if (limit instanceof FixedWindow || limit instanceof CalendarWindow) {
                micros = Math.min(micros, Micros.of(rule.resetAfter()));
            }
        }
        return micros - micros / PARTS_OF_DRIFT - 1;
    }

    /** Spends permits and returns how many remain; a negative number when there are too few, and then spends none. */
    long spend(long permits, long nowMicros) {
        if (nowMicros >= expiryMicros) {
            return -1;
        }
        long before = remaining.get();
        while (before >= permits && !remaining.compareAndSet(before, before - permits)) {
            before = remaining.get();
        }
        return before - permits;
    }

    /** Ends the lease and returns how many permits were left. */
    long end() {
        return remaining.getAndSet(0);
    }

    long remaining() {
        return remaining.get();
    }

    long permits() {
        return charged.charged();
    }

    long fromMicros() {
        return fromMicros;
    }

    long expiryMicros() {
        return expiryMicros;
    }

    /** Whether no permit can be spent any more. */
    boolean isOver(long nowMicros) {
        return nowMicros >= expiryMicros || remaining.get() == 0;
    }

    /** The decision on a request that spends these permits and leaves the others. */
    Decision decision(long permits, long remainingPermits) {
        return EngineDecisions.leased(charged, permits, remainingPermits);
    }
}
