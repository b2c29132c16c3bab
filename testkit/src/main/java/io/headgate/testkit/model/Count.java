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

    /** Decides at the key's time {@code atMicros}; waits count from there. */
    abstract RuleResult resultAt(Limit limit, long permits, long atMicros);

    /** Counts permits that were just allowed. */
    abstract void add(Limit limit, long permits, long atMicros);

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

    /** Counts a denied attempt like admitted permits, but never above the limit. */
    final RuleResult attempt(Limit limit, long permits, long nowMicros) {
        long counting = Math.min(permits, roomForAttempts(limit, Math.max(nowMicros, lastMicros)));
        if (counting > 0) {
            addAt(limit, counting, nowMicros);
            limitToCapacity(limit);
        }
        return look(limit, permits, nowMicros);
    }

    /** The largest number of permits that attempts may still count. */
    abstract long roomForAttempts(Limit limit, long atMicros);

    /** After an attempt: removes the fraction of a permit above the limit. */
    void limitToCapacity(Limit limit) {}

    /**
     * Refunds what is still counted of a charge, and returns the number of permits, rounded up.
     *
     * @param chargedMicros the time of the charge, or 0 for the oldest permits
     * @param wholeMicros when all permits would have been available again after the charge
     */
    final long refund(Limit limit, long permits, long chargedMicros, long wholeMicros, long nowMicros) {
        return takeBack(limit, permits, chargedMicros, wholeMicros, Math.max(nowMicros, lastMicros));
    }

    abstract long takeBack(Limit limit, long permits, long chargedMicros, long wholeMicros, long atMicros);

    /** Sets the time of the last charge; 0 means never. */
    final void standAt(long micros) {
        lastMicros = micros;
    }

    private void addAt(Limit limit, long permits, long nowMicros) {
        long atMicros = Math.max(nowMicros, lastMicros);
        add(limit, permits, atMicros);
        lastMicros = atMicros;
    }

    /** The time of the last charge; 0 means never. */
    final long lastMicros() {
        return lastMicros;
    }

    static long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }
}
