package io.headgate.limits;

import java.time.Duration;
import java.time.ZoneId;

/**
 * How many permits may pass, and by which algorithm; without a name and without a key.
 *
 * <p>A limit is a value: immutable, compared by its content, checked when it is made. A limit of 0 permits denies
 * everything.
 *
 * <pre>{@code
 * Limit.slidingWindow(100, Duration.ofMinutes(1)); // at most 100 in any minute, exactly
 * Limit.slidingCounter(50_000_000, Duration.ofDays(1)); // about 50 million in any day
 * Limit.fixedWindow(1000, Duration.ofHours(1));    // at most 1000 in each hour of the clock
 * Limit.calendarWindow(5, CalendarWindow.Unit.DAY, ZoneId.of("Europe/Berlin")); // at most 5 a day there
 * Limit.tokenBucket(20, 5, Duration.ofSeconds(1)); // bursts of 20, refilled by 5 a second
 * Limit.leakyBucket(20, 5, Duration.ofSeconds(1)).shaper(); // a queue of 20, which 5 a second leave
 * }</pre>
 */
public sealed interface Limit
        permits FixedWindow, CalendarWindow, SlidingWindow, SlidingCounter, TokenBucket, LeakyBucket {

    /** The most permits that can ever be admitted at once; what a decision reports as its limit. */
    long permits();

    /**
     * At most {@code permits} in each window of the clock: windows begin at multiples of {@code window} since 1970,
     * UTC.
     *
     * @param permits 0 to 1 000 000 000
     * @param window 1 ms to 366 days, in whole microseconds
     * @throws IllegalArgumentException when a value is out of its range
     */
    static FixedWindow fixedWindow(long permits, Duration window) {
        return new FixedWindow(permits, window, FixedWindow.Alignment.CLOCK);
    }

    /**
     * At most {@code permits} in any window, wherever it begins: never one too many, never a wrong denial.
     *
     * @param permits 0 to 1 000 000; for more use {@link #slidingCounter}
     * @param window 1 ms to 366 days, in whole microseconds
     * @throws IllegalArgumentException when a value is out of its range
     */
    static SlidingWindow slidingWindow(long permits, Duration window) {
        return new SlidingWindow(permits, window);
    }

    /**
     * About {@code permits} in any window, estimated from two counts; for limits too large to remember each permit. {@link
     * SlidingCounter} says how far it may be off.
     *
     * @param permits 0 to 1 000 000 000
     * @param window 1 ms to 366 days, in whole microseconds
     * @throws IllegalArgumentException when a value is out of its range
     */
    static SlidingCounter slidingCounter(long permits, Duration window) {
        return new SlidingCounter(permits, window);
    }

    /**
     * A bucket that holds up to {@code capacity} permits and is refilled evenly by {@code refillPermits} each
     * {@code refillPeriod}.
     *
     * @param capacity the burst: 0 to 1 000 000 000
     * @param refillPermits 1 to 1 000 000 000
     * @param refillPeriod 1 ms to 366 days, in whole microseconds
     * @throws IllegalArgumentException when a value is out of its range, or it takes longer than ten years to fill
     */
    static TokenBucket tokenBucket(long capacity, long refillPermits, Duration refillPeriod) {
        return new TokenBucket(capacity, refillPermits, refillPeriod);
    }

    /**
     * A bucket that holds up to {@code capacity} permits and leaks evenly, {@code leakPermits} each {@code leakPeriod}. A
     * meter; {@link LeakyBucket#shaper()} makes it a queue.
     *
     * @param capacity 0 to 1 000 000 000
     * @param leakPermits 1 to 1 000 000 000
     * @param leakPeriod 1 ms to 366 days, in whole microseconds
     * @throws IllegalArgumentException when a value is out of its range, or it takes longer than ten years to leak out
     */
    static LeakyBucket leakyBucket(long capacity, long leakPermits, Duration leakPeriod) {
        return new LeakyBucket(capacity, leakPermits, leakPeriod, LeakyBucket.Mode.METER);
    }

    /**
     * At most {@code permits} in each day, week or month of a time zone, also those in which its clocks change.
     *
     * @param permits 0 to 1 000 000 000
     * @param unit what is counted together; a week begins on Monday
     * @param zone whose days; not that of the machine, which may be another on each
     * @throws IllegalArgumentException when {@code permits} is out of its range
     */
    static CalendarWindow calendarWindow(long permits, CalendarWindow.Unit unit, ZoneId zone) {
        return new CalendarWindow(permits, unit, zone);
    }
}
