package io.headgate.testkit.model;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import java.time.Duration;

/**
 * What is counted for one key. The limit comes with each call, since it may change while the key lives.
 *
 * <p>A key has a time of its own, which never runs backwards: when the clock goes back, the key stands still at its
 * last charge until the clock has caught up. Waits are told from the clock.
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

    /** Answers at the key's time {@code atMicros}, with waits from there. */
    abstract Answer lookAt(Limit limit, long permits, long atMicros);

    /** Counts permits that were just allowed. */
    abstract void add(Limit limit, long permits, long atMicros);

    final Answer look(Limit limit, long permits, long nowMicros) {
        long atMicros = Math.max(nowMicros, lastMicros);
        return lookAt(limit, permits, atMicros).later(atMicros - nowMicros);
    }

    /** A charge is answered by what is seen right after it; but how long to wait, by what was seen before. */
    final Answer charge(Limit limit, long permits, long nowMicros) {
        long delayMicros = look(limit, permits, nowMicros).delayMicros();
        addAt(limit, permits, nowMicros);
        Answer after = look(limit, 1, nowMicros);
        return new Answer(after.remaining(), Answer.NOW, delayMicros, after.resetMicros());
    }

    /** An attempt counts like permits that are admitted, but never so that more than the limit counts. */
    final Answer attempt(Limit limit, long permits, long nowMicros) {
        long counting = Math.min(permits, roomForAttempts(limit, Math.max(nowMicros, lastMicros)));
        if (counting > 0) {
            addAt(limit, counting, nowMicros);
            limitToCapacity(limit);
        }
        return look(limit, permits, nowMicros);
    }

    /** How many permits more attempts may be counted for. */
    abstract long roomForAttempts(Limit limit, long atMicros);

    /** After an attempt: cuts off the share of a permit that is counted beyond the limit. */
    void limitToCapacity(Limit limit) {}

    /**
     * Takes back what still counts of a charge, and returns how many permits that was, a share of one for one.
     *
     * @param chargedMicros when they were charged, or 0 for the oldest
     * @param wholeMicros when the limit would have been whole again after them
     */
    final long refund(Limit limit, long permits, long chargedMicros, long wholeMicros, long nowMicros) {
        return takeBack(limit, permits, chargedMicros, wholeMicros, Math.max(nowMicros, lastMicros));
    }

    abstract long takeBack(Limit limit, long permits, long chargedMicros, long wholeMicros, long atMicros);

    /** Sets the time back or forth that the key stands at, 0 as if it had never been charged. */
    final void standAt(long micros) {
        lastMicros = micros;
    }

    private void addAt(Limit limit, long permits, long nowMicros) {
        long atMicros = Math.max(nowMicros, lastMicros);
        add(limit, permits, atMicros);
        lastMicros = atMicros;
    }

    /** When the key was last charged; 0 when it never was. */
    final long lastMicros() {
        return lastMicros;
    }

    static long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }
}
