package io.headgate.redis.limits;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Micros;
import java.util.concurrent.atomic.AtomicLong;

/** Permits that were charged at once, to be spent here until there are none left or their time is up. Safe for any number of threads. */
final class Grant {

    /** The clocks of this process and of Redis may go at rates that differ by this part of what they measure. */
    private static final int PARTS_OF_DRIFT = 1000;

    private final Decision charged;
    private final long fromMicros;
    private final long untilMicros;
    private final AtomicLong left;

    /**
     * What a lease was answered.
     *
     * @param charged the decision that admitted them
     * @param askedMicros when they were asked for, by the clock of this process: before they were charged
     * @param fromMicros when the answer was there
     * @param leaseMicros how long they may be spent from when they were charged
     */
    Grant(Decision charged, long askedMicros, long fromMicros, long leaseMicros) {
        this.charged = charged;
        this.fromMicros = fromMicros;
        this.untilMicros = askedMicros + spendableMicros(charged, leaseMicros);
        this.left = new AtomicLong(charged.charged());
    }

    /** What is charged to a window that ends counts for nothing after its end. */
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

    /** Spends permits, and returns how many are left; or below 0, and spends none. */
    long spend(long permits, long nowMicros) {
        if (nowMicros >= untilMicros) {
            return -1;
        }
        long had = left.get();
        while (had >= permits && !left.compareAndSet(had, had - permits)) {
            had = left.get();
        }
        return had - permits;
    }

    /** Lets no more be spent, and returns how many were left. */
    long end() {
        return left.getAndSet(0);
    }

    long left() {
        return left.get();
    }

    long permits() {
        return charged.charged();
    }

    long fromMicros() {
        return fromMicros;
    }

    long untilMicros() {
        return untilMicros;
    }

    /** Whether nothing of it can be spent any more. */
    boolean isOver(long nowMicros) {
        return nowMicros >= untilMicros || left.get() == 0;
    }

    /** What who spends permits is told, where so many are left then. */
    Decision decision(long permits, long leftThen) {
        return Decision.leased(charged, permits, leftThen);
    }
}
