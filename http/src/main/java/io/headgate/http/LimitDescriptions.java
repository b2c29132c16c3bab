package io.headgate.http;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;

/** Describes rules in plain English, for example {@code 100 permits in any minute, by user}. */
public final class LimitDescriptions {

    private static final List<Unit> UNITS = List.of(
            new Unit("day", Duration.ofDays(1)),
            new Unit("hour", Duration.ofHours(1)),
            new Unit("minute", Duration.ofMinutes(1)),
            new Unit("second", Duration.ofSeconds(1)),
            new Unit("millisecond", Duration.ofMillis(1)),
            new Unit("microsecond", Duration.ofNanos(1000)));

    private record Unit(String name, Duration length) {}

    private LimitDescriptions() {}

    /** Describes a rule: what it admits, and by which attributes it counts. */
    public static String of(Rule rule) {
        return of(rule.limit())
                + (rule.dimensions().isEmpty() ? ", in total" : ", by " + joined(rule.dimensions()))
                + (rule.countsAttempts() ? "; denied requests count too" : "")
                + (rule.shadow() ? "; shadow mode, denies nothing" : "");
    }

    /** Describes an in-flight rule: what it admits, and by which attributes it counts. */
    public static String of(InFlightRule rule) {
        return (rule.permits() == 0 ? "nothing" : permits(rule.permits()) + " at once")
                + (rule.dimensions().isEmpty() ? ", in total" : ", by " + joined(rule.dimensions()));
    }

    private static String of(Limit limit) {
        if (limit.permits() == 0) {
            return "nothing";
        }
        if (limit instanceof SlidingWindow sliding) {
            return permits(sliding.permits()) + " in any " + each(sliding.window());
        }
        if (limit instanceof SlidingCounter counter) {
            return "about " + permits(counter.permits()) + " in any " + each(counter.window());
        }
        if (limit instanceof FixedWindow fixed) {
            return permits(fixed.permits())
                    + (fixed.alignment() == FixedWindow.Alignment.CLOCK
                            ? " in each " + each(fixed.window()) + " of the clock"
                            : " in each " + each(fixed.window()) + " from the first request");
        }
        if (limit instanceof CalendarWindow calendar) {
            return permits(calendar.permits()) + " in each "
                    + calendar.unit().name().toLowerCase(Locale.ROOT) + " of " + name(calendar.zone());
        }
        if (limit instanceof LeakyBucket leaky) {
            return of(leaky);
        }
        TokenBucket bucket = (TokenBucket) limit;
        return "bursts of " + permits(bucket.capacity()) + ", refilled by " + bucket.refillPermits() + " each "
                + each(bucket.refillPeriod());
    }

    private static String of(LeakyBucket bucket) {
        return bucket.mode() == LeakyBucket.Mode.METER
                ? "bursts of " + permits(bucket.capacity()) + ", leaking out by " + bucket.leakPermits() + " each "
                        + each(bucket.leakPeriod())
                : permits(bucket.leakPermits()) + " each " + each(bucket.leakPeriod())
                        + ", evenly spaced, from a queue of " + bucket.capacity();
    }

    private static String name(ZoneId zone) {
        return zone.equals(ZoneOffset.UTC) ? "UTC" : (zone instanceof ZoneOffset ? "UTC" : "") + zone.getId();
    }

    private static String permits(long permits) {
        return permits == 1 ? "1 permit" : permits + " permits";
    }

    /** The duration as it follows "each" or "any": {@code second}, but {@code 2 seconds}. */
    private static String each(Duration length) {
        String words = of(length);
        return words.startsWith("1 ") ? words.substring(2) : words;
    }

    /**
     * Describes a duration in the largest unit that divides it, for example {@code 90 seconds}. A duration that is zero, or has a fraction
     * of a microsecond, is in ISO 8601 form.
     */
    public static String of(Duration length) {
        for (Unit unit : UNITS) {
            long count = length.dividedBy(unit.length());
            if (count > 0 && unit.length().multipliedBy(count).equals(length)) {
                return count + " " + unit.name() + (count == 1 ? "" : "s");
            }
        }
        return length.toString();
    }

    private static String joined(List<String> dimensions) {
        int last = dimensions.size() - 1;
        return last == 0
                ? dimensions.get(0)
                : String.join(", ", dimensions.subList(0, last)) + " and " + dimensions.get(last);
    }
}
