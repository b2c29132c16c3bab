package io.headgate.spring.operations;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import io.headgate.spring.internal.PropertyValues;
import java.util.LinkedHashMap;
import java.util.Map;

/** Limits as JSON, in the words of the policy file. */
final class LimitJson {

    private LimitJson() {}

    /** Returns the kind of a limit with its settings, such as {@code "sliding-window": {"permits": 100, "window": "1m"}}. */
    static Map<String, Object> of(Limit limit) {
        Map<String, Object> settings = new LinkedHashMap<>();
        String kind;
        if (limit instanceof TokenBucket bucket) {
            kind = "token-bucket";
            settings.put("capacity", bucket.capacity());
            settings.put("refill", PropertyValues.text(bucket.refillPermits(), bucket.refillPeriod()));
        } else if (limit instanceof LeakyBucket bucket) {
            kind = "leaky-bucket";
            settings.put("capacity", bucket.capacity());
            settings.put("leak", PropertyValues.text(bucket.leakPermits(), bucket.leakPeriod()));
            settings.put("mode", PropertyValues.word(bucket.mode()));
        } else if (limit instanceof CalendarWindow calendar) {
            kind = "calendar-window";
            settings.put("permits", calendar.permits());
            settings.put("per", PropertyValues.word(calendar.unit()));
            settings.put("zone", calendar.zone().getId());
        } else if (limit instanceof FixedWindow fixed) {
            kind = "fixed-window";
            settings.put("permits", fixed.permits());
            settings.put("window", PropertyValues.text(fixed.window()));
            settings.put("align", PropertyValues.word(fixed.alignment()));
        } else if (limit instanceof SlidingCounter counter) {
            kind = "sliding-counter";
            settings.put("permits", counter.permits());
            settings.put("window", PropertyValues.text(counter.window()));
        } else {
            SlidingWindow sliding = (SlidingWindow) limit;
            kind = "sliding-window";
            settings.put("permits", sliding.permits());
            settings.put("window", PropertyValues.text(sliding.window()));
        }
        return Map.of(kind, settings);
    }
}
