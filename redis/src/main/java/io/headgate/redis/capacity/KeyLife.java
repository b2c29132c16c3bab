package io.headgate.redis.capacity;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.redis.limits.internal.planner.RuleArgument;

/**
 * The lifetime of a key. The first charge sets the expiry of the key, and so does the first charge after each {@code rearmSeconds}.
 *
 * @param expirySeconds the mean time from a charge that sets the expiry to the expiry, over the jitter of expiries
 * @param rearmSeconds the mean time after which a charge sets the expiry again
 */
record KeyLife(double expirySeconds, double rearmSeconds) {

    /** A charge sets the expiry again if less than this time is left between the end of the count and the expiry of the key. */
    private static final double MIN_REST_SECONDS = 60;

    /** The jitter is 0 to 15 sixteenths of the spread. */
    private static final double MEAN_SPREAD = 7.5 / 16;

    /**
     * The lifetime of the keys of a limit.
     *
     * @param chargesPerSecond the charges of one key
     */
    static KeyLife of(Limit limit, double chargesPerSecond) {
        if (limit instanceof CalendarWindow calendar) {
            double rest = Sustained.periodSeconds(calendar) / 2;
            double spread = RuleArgument.SPREAD_MILLIS / 1e3;
            return new KeyLife(rest + RuleArgument.REST_MILLIS / 1e3 + spread * MEAN_SPREAD, rest);
        }
        double neededSeconds = RuleArgument.lifeMicros(limit) / 1e6;
        // The spread is a tenth of the minimum, as in RuleArgument.
        double expiry = (neededSeconds + RuleArgument.REST_MILLIS / 1e3) * (1 + MEAN_SPREAD / 10);
        double spare = expiry - MIN_REST_SECONDS;
        if (limit instanceof SlidingWindow) {
            return new KeyLife(expiry, spare - neededSeconds);
        } else if (limit instanceof SlidingCounter) {
            // A counter is needed for two windows; on average, half a window has passed at a charge.
            return new KeyLife(expiry, spare - neededSeconds * 0.75);
        } else if (limit instanceof FixedWindow fixed) {
            return new KeyLife(
                    expiry,
                    fixed.alignment() == FixedWindow.Alignment.CLOCK
                            ? spare - neededSeconds / 2
                            : Math.max(neededSeconds, spare - neededSeconds));
        }
        return new KeyLife(expiry, spare - owedSeconds(limit, chargesPerSecond));
    }

    /** The share of the time for which a key exists, if it is charged at random times. */
    double aliveShare(double chargesPerSecond) {
        double none = Math.exp(-chargesPerSecond * (expirySeconds - rearmSeconds));
        return 1 - none / (1 + chargesPerSecond * rearmSeconds);
    }

    /** The mean time that a bucket needs to refill after a charge, as in a queue with a constant service time (M/D/1). */
    private static double owedSeconds(Limit limit, double chargesPerSecond) {
        double busy = Math.min(0.999, chargesPerSecond / Sustained.permitsPerSecond(limit));
        double owed = Math.min((double) limit.permits(), 1 + busy / (2 * (1 - busy)));
        return owed / Sustained.permitsPerSecond(limit);
    }
}
