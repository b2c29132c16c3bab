package io.headgate.http;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/**
 * Computes the window of a limit for the field {@code RateLimit-Policy}: its window or calendar period, or for a bucket, the time from
 * empty to full.
 */
final class Windows {

    private Windows() {}

    /** Returns the window in whole seconds, rounded up, at least 1; of a calendar window, the length of its period at this instant. */
    static long seconds(Limit limit, Instant at) {
        return Math.max(1, Seconds.roundedUp(of(limit, at)));
    }

    private static Duration of(Limit limit, Instant at) {
        if (limit instanceof FixedWindow fixed) {
            return fixed.window();
        }
        if (limit instanceof CalendarWindow calendar) {
            return period(calendar, at);
        }
        if (limit instanceof SlidingWindow sliding) {
            return sliding.window();
        }
        if (limit instanceof SlidingCounter counter) {
            return counter.window();
        }
        if (limit instanceof LeakyBucket leaky) {
            return timeOf(leaky.capacity(), leaky.leakPermits(), leaky.leakPeriod());
        }
        TokenBucket bucket = (TokenBucket) limit;
        return timeOf(bucket.capacity(), bucket.refillPermits(), bucket.refillPeriod());
    }

    /** The time in which an empty bucket fills, or a full one leaks out. */
    private static Duration timeOf(long capacity, long permits, Duration period) {
        long periodNanos = period.toNanos();
        if (Math.multiplyHigh(periodNanos, capacity) == 0 && periodNanos * capacity >= 0) {
            return Duration.ofNanos(-Math.floorDiv(-(periodNanos * capacity), permits));
        }
        BigInteger nanos = BigInteger.valueOf(periodNanos)
                .multiply(BigInteger.valueOf(capacity))
                .add(BigInteger.valueOf(permits - 1))
                .divide(BigInteger.valueOf(permits));
        return Duration.ofNanos(nanos.longValueExact());
    }

    /** The length of the day, week or month at an instant, which depends on clock changes. */
    private static Duration period(CalendarWindow calendar, Instant at) {
        LocalDate today = LocalDate.ofInstant(at, calendar.zone());
        LocalDate first =
                switch (calendar.unit()) {
                    case DAY -> today;
                    case WEEK -> today.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
                    case MONTH -> today.withDayOfMonth(1);
                };
        LocalDate next =
                switch (calendar.unit()) {
                    case DAY -> first.plus(1, ChronoUnit.DAYS);
                    case WEEK -> first.plus(1, ChronoUnit.WEEKS);
                    case MONTH -> first.plus(1, ChronoUnit.MONTHS);
                };
        return Duration.between(first.atStartOfDay(calendar.zone()), next.atStartOfDay(calendar.zone()));
    }
}
