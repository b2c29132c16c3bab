package io.headgate.config.sources;

import io.headgate.config.sources.PolicyChange.Kind;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import java.math.BigInteger;
import java.time.Duration;

/**
 * How much a limit admits: at once, and per time. A limit is raised if one of them grows and the other does not shrink.
 *
 * @param burst the permits of an unused limit
 * @param permits the permits that are added in each period
 */
record LimitSize(long burst, long permits, Duration period) {

    /** Only limits of the same form are compared by their size. */
    private static LimitSize of(Limit limit) {
        if (limit instanceof SlidingWindow sliding) {
            return ofWindow(sliding.permits(), sliding.window());
        }
        if (limit instanceof SlidingCounter counter) {
            return ofWindow(counter.permits(), counter.window());
        }
        if (limit instanceof FixedWindow fixed) {
            return ofWindow(fixed.permits(), fixed.window());
        }
        if (limit instanceof CalendarWindow calendar) {
            return ofWindow(calendar.permits(), Duration.ofDays(1));
        }
        if (limit instanceof LeakyBucket leaky) {
            return new LimitSize(leaky.capacity(), leaky.leakPermits(), leaky.leakPeriod());
        }
        TokenBucket bucket = (TokenBucket) limit;
        return new LimitSize(bucket.capacity(), bucket.refillPermits(), bucket.refillPeriod());
    }

    /** Returns the time after which a request can no longer affect decisions: of a calendar window, the longest one. */
    static Duration longestCounted(Limit limit) {
        if (limit instanceof SlidingCounter counter) {
            return counter.window().multipliedBy(2);
        }
        if (limit instanceof CalendarWindow calendar) {
            return switch (calendar.unit()) {
                case DAY -> Duration.ofDays(1);
                case WEEK -> Duration.ofDays(7);
                case MONTH -> Duration.ofDays(31);
            };
        }
        LimitSize size = of(limit);
        if (limit instanceof LeakyBucket || limit instanceof TokenBucket) {
            BigInteger nanos = BigInteger.valueOf(size.burst)
                    .multiply(BigInteger.valueOf(size.period.toNanos()))
                    .divide(BigInteger.valueOf(size.permits));
            return Duration.ofMillis(nanos.divide(BigInteger.valueOf(1_000_000)).longValue());
        }
        return size.period;
    }

    private static LimitSize ofWindow(long permits, Duration window) {
        return new LimitSize(permits, permits, window);
    }

    /** Returns how a limit changed to another one, which is not equal. */
    static Kind change(Limit before, Limit after) {
        if (!hasSameForm(before, after)) {
            return Kind.CHANGED;
        }
        LimitSize was = of(before);
        LimitSize is = of(after);
        int burst = Long.compare(is.burst, was.burst);
        int perTime = is.rate(was.period).compareTo(was.rate(is.period));
        return change(burst, perTime);
    }

    private static Kind change(int burst, int perTime) {
        if (burst >= 0 && perTime >= 0 && burst + perTime > 0) {
            return Kind.RAISED;
        }
        return burst <= 0 && perTime <= 0 && burst + perTime < 0 ? Kind.LOWERED : Kind.CHANGED;
    }

    /** The permits in the product of both periods, so that rates are compared without a division. */
    private BigInteger rate(Duration otherPeriod) {
        return BigInteger.valueOf(permits).multiply(BigInteger.valueOf(otherPeriod.toNanos()));
    }

    private static boolean hasSameForm(Limit before, Limit after) {
        if (before instanceof FixedWindow was && after instanceof FixedWindow is) {
            return was.alignment() == is.alignment();
        }
        if (before instanceof CalendarWindow was && after instanceof CalendarWindow is) {
            return was.unit() == is.unit() && was.zone().equals(is.zone());
        }
        if (before instanceof LeakyBucket was && after instanceof LeakyBucket is) {
            return was.mode() == is.mode();
        }
        return before.getClass() == after.getClass();
    }
}
