package io.headgate.spring.operations;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Limits and durations as JSON, in the words of the policy file. */
final class LimitJson {

    private static final Map<String, Duration> UNITS = units();

    private LimitJson() {}

    private static Map<String, Duration> units() {
        Map<String, Duration> units = new LinkedHashMap<>();
        units.put("d", Duration.ofDays(1));
        units.put("h", Duration.ofHours(1));
        units.put("m", Duration.ofMinutes(1));
        units.put("s", Duration.ofSeconds(1));
        units.put("ms", Duration.ofMillis(1));
        units.put("us", Duration.ofNanos(1000));
        return units;
    }

    /** Returns the kind of a limit with its settings, such as {@code "sliding-window": {"permits": 100, "window": "1m"}}. */
    static Map<String, Object> of(Limit limit) {
        Map<String, Object> settings = new LinkedHashMap<>();
        String kind;
        if (limit instanceof TokenBucket bucket) {
            kind = "token-bucket";
            settings.put("capacity", bucket.capacity());
            settings.put("refill", rate(bucket.refillPermits(), bucket.refillPeriod()));
        } else if (limit instanceof LeakyBucket bucket) {
            kind = "leaky-bucket";
            settings.put("capacity", bucket.capacity());
            settings.put("leak", rate(bucket.leakPermits(), bucket.leakPeriod()));
            settings.put("mode", word(bucket.mode()));
        } else if (limit instanceof CalendarWindow calendar) {
            kind = "calendar-window";
            settings.put("permits", calendar.permits());
            settings.put("per", word(calendar.unit()));
            settings.put("zone", calendar.zone().getId());
        } else if (limit instanceof FixedWindow fixed) {
            kind = "fixed-window";
            settings.put("permits", fixed.permits());
            settings.put("window", of(fixed.window()));
            settings.put("align", word(fixed.alignment()));
        } else if (limit instanceof SlidingCounter counter) {
            kind = "sliding-counter";
            settings.put("permits", counter.permits());
            settings.put("window", of(counter.window()));
        } else {
            SlidingWindow sliding = (SlidingWindow) limit;
            kind = "sliding-window";
            settings.put("permits", sliding.permits());
            settings.put("window", of(sliding.window()));
        }
        return Map.of(kind, settings);
    }

    private static String rate(long permits, Duration period) {
        return permits + " per " + of(period);
    }

    /** Returns a constant as the policy file spells it. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns a duration in the largest unit that divides it, such as {@code 90s}. */
    static String of(Duration duration) {
        for (Map.Entry<String, Duration> unit : UNITS.entrySet()) {
            long count = duration.dividedBy(unit.getValue());
            if (count > 0 && unit.getValue().multipliedBy(count).equals(duration)) {
                return count + unit.getKey();
            }
        }
        return duration.toString();
    }
}
