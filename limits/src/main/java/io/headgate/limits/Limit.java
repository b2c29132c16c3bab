package io.headgate.limits;

import java.time.Duration;
import java.time.ZoneId;

/**
 * The number of permits that may be admitted per time, and the algorithm that counts them. A {@link Rule} gives it a name and
 * dimensions.
 *
 * <p>Limits are immutable values, compared by content and checked on construction. A limit of 0 permits denies everything.
 *
 * <pre>{@code
 * Limit.slidingWindow(100, Duration.ofMinutes(1)); // at most 100 in any minute, exactly
 * Limit.slidingCounter(50_000_000, Duration.ofDays(1)); // about 50 million in any day
 * Limit.fixedWindow(1000, Duration.ofHours(1));    // at most 1000 in each hour of the clock
 * Limit.calendarWindow(5, CalendarWindow.Unit.DAY, ZoneId.of("Europe/Berlin")); // at most 5 a day there
 * Limit.tokenBucket(20, 5, Duration.ofSeconds(1)); // bursts of 20, refilled by 5 a second
 * Limit.leakyBucket(20, 5, Duration.ofSeconds(1)).shaper(); // a queue of 20, from which 5 a second continue
 * }</pre>
 */
public sealed interface Limit
        permits FixedWindow, CalendarWindow, SlidingWindow, SlidingCounter, TokenBucket, LeakyBucket {

    /**
     * The most permits that a single request can get: the permits of a window, or the capacity of a bucket. {@link Decision#limit()}
     * reports it.
     */
    long permits();

    /**
     * Returns a limit of {@code permits} in each window of the clock: windows start at multiples of {@code window} since 1970 in UTC.
     *
     * @param permits 0 to 1 000 000 000
     * @param window 1 ms to 366 days, in whole microseconds
     * @throws IllegalArgumentException if a value is out of its range
     */
    static FixedWindow fixedWindow(long permits, Duration window) {
        return new FixedWindow(permits, window, FixedWindow.Alignment.CLOCK);
    }

    /**
     * Returns an exact limit of {@code permits} in any window, wherever it starts: it never admits too many permits, and never denies
     * wrongly.
     *
     * @param permits 0 to 1 000 000; for more use {@link #slidingCounter}
     * @param window 1 ms to 366 days, in whole microseconds
     * @throws IllegalArgumentException if a value is out of its range
     */
    static SlidingWindow slidingWindow(long permits, Duration window) {
        return new SlidingWindow(permits, window);
    }

    /**
     * Returns an approximate limit of {@code permits} in any window, estimated from two counts; for limits that are too large to store
     * each request. {@link SlidingCounter} describes the error of the estimate.
     *
     * @param permits 0 to 1 000 000 000
     * @param window 1 ms to 366 days, in whole microseconds
     * @throws IllegalArgumentException if a value is out of its range
     */
    static SlidingCounter slidingCounter(long permits, Duration window) {
        return new SlidingCounter(permits, window);
    }

    /**
     * Returns a bucket that holds up to {@code capacity} permits and is refilled evenly, by {@code refillPermits} in each {@code
     * refillPeriod}.
     *
     * @param capacity the burst: 0 to 1 000 000 000
     * @param refillPermits 1 to 1 000 000 000
     * @param refillPeriod 1 ms to 366 days, in whole microseconds
     * @throws IllegalArgumentException if a value is out of its range, or an empty bucket takes longer than ten years to fill
     */
    static TokenBucket tokenBucket(long capacity, long refillPermits, Duration refillPeriod) {
        return new TokenBucket(capacity, refillPermits, refillPeriod);
    }

    /**
     * Returns a bucket that holds up to {@code capacity} permits and leaks evenly, {@code leakPermits} in each {@code leakPeriod}. It
     * is a meter; {@link LeakyBucket#shaper()} makes it a queue.
     *
     * @param capacity 0 to 1 000 000 000
     * @param leakPermits 1 to 1 000 000 000
     * @param leakPeriod 1 ms to 366 days, in whole microseconds
     * @throws IllegalArgumentException if a value is out of its range, or a full bucket takes longer than ten years to leak out
     */
    static LeakyBucket leakyBucket(long capacity, long leakPermits, Duration leakPeriod) {
        return new LeakyBucket(capacity, leakPermits, leakPeriod, LeakyBucket.Mode.METER);
    }

    /**
     * Returns a limit of {@code permits} in each day, week or month of a time zone, including days on which the clocks change.
     *
     * @param permits 0 to 1 000 000 000
     * @param unit the length of a window: a day, a week that starts on Monday, or a month
     * @param zone the time zone that determines the days. Name it explicitly: the default zone may differ between machines
     * @throws IllegalArgumentException if {@code permits} is out of its range
     */
    static CalendarWindow calendarWindow(long permits, CalendarWindow.Unit unit, ZoneId zone) {
        return new CalendarWindow(permits, unit, zone);
    }
}
