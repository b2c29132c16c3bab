package io.headgate.redis.capacity;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import java.time.Duration;

/** The permits per second that a limit admits in the long run to a client that always requests more. */
final class Sustained {

    private static final double DAY_SECONDS = 86_400;
    private static final double DAYS_OF_A_MONTH = 365.2425 / 12;

    private Sustained() {}

    static double permitsPerSecond(Limit limit) {
        if (limit instanceof FixedWindow fixed) {
            return fixed.permits() / seconds(fixed.window());
        } else if (limit instanceof SlidingWindow sliding) {
            return sliding.permits() / seconds(sliding.window());
        } else if (limit instanceof SlidingCounter counter) {
            return counter.permits() / seconds(counter.window());
        } else if (limit instanceof CalendarWindow calendar) {
            return calendar.permits() / periodSeconds(calendar);
        } else if (limit instanceof LeakyBucket leaky) {
            return leaky.capacity() == 0 ? 0 : leaky.leakPermits() / seconds(leaky.leakPeriod());
        }
        TokenBucket bucket = (TokenBucket) limit;
        return bucket.capacity() == 0 ? 0 : bucket.refillPermits() / seconds(bucket.refillPeriod());
    }

    static double periodSeconds(CalendarWindow window) {
        return switch (window.unit()) {
            case DAY -> DAY_SECONDS;
            case WEEK -> 7 * DAY_SECONDS;
            case MONTH -> DAYS_OF_A_MONTH * DAY_SECONDS;
        };
    }

    static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
