package io.headgate.config.sources;

import io.headgate.config.internal.yaml.Choices;
import io.headgate.config.internal.yaml.Scalars;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;

/** Writes limits in the words of the policy file, for example {@code sliding-window 100 per 1m}. */
final class LimitText {

    private LimitText() {}

    static String of(Limit limit) {
        if (limit instanceof SlidingWindow sliding) {
            return "sliding-window " + Scalars.text(sliding.permits(), sliding.window());
        }
        if (limit instanceof SlidingCounter counter) {
            return "sliding-counter " + Scalars.text(counter.permits(), counter.window());
        }
        if (limit instanceof FixedWindow fixed) {
            return "fixed-window " + Scalars.text(fixed.permits(), fixed.window()) + " (align "
                    + Choices.word(fixed.alignment()) + ")";
        }
        if (limit instanceof CalendarWindow calendar) {
            return "calendar-window " + calendar.permits() + " per " + Choices.word(calendar.unit()) + " (zone "
                    + calendar.zone() + ")";
        }
        if (limit instanceof LeakyBucket leaky) {
            return "leaky-bucket of " + leaky.capacity() + ", leak "
                    + Scalars.text(leaky.leakPermits(), leaky.leakPeriod()) + " (mode " + Choices.word(leaky.mode())
                    + ")";
        }
        TokenBucket bucket = (TokenBucket) limit;
        return "token-bucket of " + bucket.capacity() + ", refill "
                + Scalars.text(bucket.refillPermits(), bucket.refillPeriod());
    }
}
