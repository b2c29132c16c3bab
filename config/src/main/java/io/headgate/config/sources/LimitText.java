package io.headgate.config.sources;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import java.time.Duration;
import java.util.Locale;

/** Writes limits in the words of the policy file, for example {@code sliding-window 100 per 1m}. */
final class LimitText {

    private LimitText() {}

    static String of(Limit limit) {
        if (limit instanceof SlidingWindow sliding) {
            return "sliding-window " + rate(sliding.permits(), sliding.window());
        }
        if (limit instanceof SlidingCounter counter) {
            return "sliding-counter " + rate(counter.permits(), counter.window());
        }
        if (limit instanceof FixedWindow fixed) {
            return "fixed-window " + rate(fixed.permits(), fixed.window()) + " (align " + word(fixed.alignment()) + ")";
        }
        if (limit instanceof CalendarWindow calendar) {
            return "calendar-window " + calendar.permits() + " per " + word(calendar.unit()) + " (zone "
                    + calendar.zone() + ")";
        }
        if (limit instanceof LeakyBucket leaky) {
            return "leaky-bucket of " + leaky.capacity() + ", leak " + rate(leaky.leakPermits(), leaky.leakPeriod())
                    + " (mode " + word(leaky.mode()) + ")";
        }
        TokenBucket bucket = (TokenBucket) limit;
        return "token-bucket of " + bucket.capacity() + ", refill "
                + rate(bucket.refillPermits(), bucket.refillPeriod());
    }

    private static String rate(long permits, Duration period) {
        return permits + " per " + of(period);
    }

    /** Returns a duration as an integer and the largest unit in which it is whole. */
    static String of(Duration duration) {
        long micros = duration.toNanos() / 1000;
        for (Unit unit : Unit.values()) {
            if (micros % unit.micros == 0) {
                return micros / unit.micros + unit.name().toLowerCase(Locale.ROOT);
            }
        }
        return duration.toString();
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private enum Unit {
        D(Duration.ofDays(1)),
        H(Duration.ofHours(1)),
        M(Duration.ofMinutes(1)),
        S(Duration.ofSeconds(1)),
        MS(Duration.ofMillis(1)),
        US(Duration.ofNanos(1000));

        final long micros;

        Unit(Duration length) {
            this.micros = length.toNanos() / 1000;
        }
    }
}
