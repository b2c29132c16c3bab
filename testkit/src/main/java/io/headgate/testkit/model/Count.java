package io.headgate.testkit.model;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import java.time.Duration;

/**
 * The state of one key. Each call passes the limit, which may change.
 *
 * <p>A key has its own time, which never runs backwards: if the clock goes back, the key keeps the time of its last charge until the
 * clock has caught up. Waits count from the time of the clock.
 */
abstract sealed class Count
        permits FixedWindowCount, CalendarWindowCount, SlidingWindowCount, SlidingCounterCount, BucketCount {

    private long lastMicros;

    static Count start(Limit limit) {
        if (limit instanceof FixedWindow) {
            return new FixedWindowCount();
        }
        if (limit instanceof CalendarWindow) {
            return new CalendarWindowCount();
        }
        if (limit instanceof SlidingWindow) {
            return new SlidingWindowCount();
        }
        return limit instanceof SlidingCounter ? new SlidingCounterCount() : new BucketCount();
    }

    /** Decides at the key's time {@code atMicros}; the waits in the result count from it. */
    abstract RuleResult resultAt(Limit limit, long permits, long atMicros);

    /** Counts permits that were just allowed. */
    abstract void add(Limit limit, long permits, long atMicros);

    /** Decides without charging. */
    final RuleResult look(Limit limit, long permits, long nowMicros) {
        long atMicros = Math.max(nowMicros, lastMicros);
        return resultAt(limit, permits, atMicros).later(atMicros - nowMicros);
    }

    /** Charges permits; the result has the state after the charge, but the delay from before it. */
    final RuleResult charge(Limit limit, long permits, long nowMicros) {
        long delayMicros = look(limit, permits, nowMicros).delayMicros();
        addAt(limit, permits, nowMicros);
        RuleResult after = look(limit, 1, nowMicros);
        return new RuleResult(after.remaining(), RuleResult.NOW, delayMicros, after.resetMicros());
    }

    /** Charges a denied attempt like an admitted request, but never above the limit. */
    final RuleResult attempt(Limit limit, long permits, long nowMicros) {
        long counting = Math.min(permits, roomForAttempts(limit, Math.max(nowMicros, lastMicros)));
        if (counting > 0) {
            addAt(limit, counting, nowMicros);
            limitToCapacity(limit);
        }
        return look(limit, permits, nowMicros);
    }

    /** The largest number of permits that an attempt may charge. */
    abstract long roomForAttempts(Limit limit, long atMicros);

    /** After an attempt: removes the fraction of a permit above the limit. */
    void limitToCapacity(Limit limit) {}

    /**
     * Refunds the permits of a charge that are still counted, and returns their number, rounded up.
     *
     * @param chargedMicros the time of the charge, or 0 for the oldest permits
     * @param resetAtMicros when all permits would have been available again after the charge
     */
    final long refund(Limit limit, long permits, long chargedMicros, long resetAtMicros, long nowMicros) {
        return refundAt(limit, permits, chargedMicros, resetAtMicros, Math.max(nowMicros, lastMicros));
    }

    /** Refunds as {@link #refund} does, at the key's time {@code atMicros}. */
    abstract long refundAt(Limit limit, long permits, long chargedMicros, long resetAtMicros, long atMicros);

    /** Sets {@link #lastMicros()} after a refund. */
    final void setLastMicros(long micros) {
        lastMicros = micros;
    }

    private void addAt(Limit limit, long permits, long nowMicros) {
        long atMicros = Math.max(nowMicros, lastMicros);
        add(limit, permits, atMicros);
        lastMicros = atMicros;
    }

    /**
     * The time of the last charge, or of a later refund of a bucket; for a sliding window, of the last charge that was not wholly refunded.
     * 0 if there is none.
     */
    final long lastMicros() {
        return lastMicros;
    }

    static long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }
}
