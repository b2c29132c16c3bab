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
 * A lease of permits: one request charged them in Redis, and they are spent here until none remain or the lease expires. No permit is
 * spent twice by several threads, as the count changes by compare-and-set.
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
     * @param requestedMicros when the request was made, by the clock of this process or of the application: before its permits were charged
     * @param fromMicros when the reply arrived, by the same clock
     * @param leaseMicros how long permits may be spent after they were charged
     */
    PermitLease(Decision charged, long requestedMicros, long fromMicros, long leaseMicros) {
        this.charged = charged;
        this.fromMicros = fromMicros;
        this.expiryMicros = requestedMicros + spendableMicros(charged, leaseMicros);
        this.remaining = new AtomicLong(charged.charged());
    }

    /** How long the permits may be spent: for the lease time, but at most until the end of a fixed or calendar window. */
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

    /** Spends permits and returns how many remain. If there are too few, it spends none and returns a negative number. */
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

    /** Ends the lease and returns the number of unspent permits. */
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

    /** The decision on a request that spends the given number of permits, after which the given number remains. */
    Decision decision(long permits, long remainingPermits) {
        return EngineDecisions.leased(charged, permits, remainingPermits);
    }
}
