package io.headgate.limits.internal.algorithm;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import io.headgate.limits.internal.Micros;
import java.time.Duration;

/** The kinds of limits, with their codes in keys. If a rule gets another kind of limit, it starts new counts. */
public enum LimitKind {
    FIXED_WINDOW("fw"),
    CALENDAR_WINDOW("cw"),
    SLIDING_WINDOW("sw"),
    SLIDING_COUNTER("sc"),
    TOKEN_BUCKET("tb"),
    LEAKY_BUCKET("lb");

    private final String code;

    LimitKind(String code) {
        this.code = code;
    }

    /** Returns the kind of a limit. */
    public static LimitKind of(Limit limit) {
        if (limit instanceof FixedWindow) {
            return FIXED_WINDOW;
        } else if (limit instanceof CalendarWindow) {
            return CALENDAR_WINDOW;
        } else if (limit instanceof SlidingWindow) {
            return SLIDING_WINDOW;
        } else if (limit instanceof SlidingCounter) {
            return SLIDING_COUNTER;
        } else if (limit instanceof TokenBucket) {
            return TOKEN_BUCKET;
        } else if (limit instanceof LeakyBucket) {
            return LEAKY_BUCKET;
        }
        throw new IllegalStateException("no kind is known of " + limit);
    }

    /**
     * Whether two limits differ in nothing but their permits. Then a charge under one only adds to the count of a key under the other.
     * Otherwise it may also restart the count of a window, drop charges of a longer window, or refill a bucket.
     */
    public static boolean countAlike(Limit a, Limit b) {
        if (a instanceof FixedWindow one && b instanceof FixedWindow other) {
            return one.window().equals(other.window()) && one.alignment() == other.alignment();
        } else if (a instanceof CalendarWindow one && b instanceof CalendarWindow other) {
            return one.unit() == other.unit() && one.zone().equals(other.zone());
        } else if (a instanceof SlidingWindow one && b instanceof SlidingWindow other) {
            return one.window().equals(other.window());
        } else if (a instanceof SlidingCounter one && b instanceof SlidingCounter other) {
            return one.window().equals(other.window());
        } else if (a instanceof TokenBucket one && b instanceof TokenBucket other) {
            return one.refillPermits() == other.refillPermits()
                    && one.refillPeriod().equals(other.refillPeriod());
        } else if (a instanceof LeakyBucket one && b instanceof LeakyBucket other) {
            return one.leakPermits() == other.leakPermits()
                    && one.leakPeriod().equals(other.leakPeriod())
                    && one.mode() == other.mode();
        }
        return false;
    }

    /**
     * Returns the rate at which a bucket refills or leaks.
     *
     * @throws IllegalArgumentException if the limit is not a bucket
     */
    public static RefillRate rateOf(Limit bucket) {
        if (bucket instanceof TokenBucket token) {
            return RefillRate.of(token.refillPermits(), Micros.of(token.refillPeriod()));
        } else if (bucket instanceof LeakyBucket leaky) {
            return RefillRate.of(leaky.leakPermits(), Micros.of(leaky.leakPeriod()));
        }
        throw new IllegalArgumentException("no rate of a limit that is no bucket: " + bucket);
    }

    /**
     * Returns the time after which a charge can no longer affect decisions, in microseconds; for a calendar window, that of its longest
     * period.
     */
    public static long longestMicros(Limit limit) {
        return switch (of(limit)) {
            case FIXED_WINDOW -> Micros.of(((FixedWindow) limit).window());
            case CALENDAR_WINDOW -> Micros.of(longest(((CalendarWindow) limit).unit()));
            case SLIDING_WINDOW -> Micros.of(((SlidingWindow) limit).window());
            case SLIDING_COUNTER -> 2 * Micros.of(((SlidingCounter) limit).window());
            case TOKEN_BUCKET, LEAKY_BUCKET -> rateOf(limit).microsToRefill(limit.permits(), 0);
        };
    }

    /** The longest period: on its longest day, the clocks go back by an hour. */
    private static Duration longest(CalendarWindow.Unit unit) {
        int days =
                switch (unit) {
                    case DAY -> 1;
                    case WEEK -> 7;
                    case MONTH -> 31;
                };
        return Duration.ofDays(days).plusHours(1);
    }

    /** Returns the two letters that stand for this kind in keys. */
    public String code() {
        return code;
    }
}
