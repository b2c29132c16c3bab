package io.headgate.redis.capacity;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.redis.limits.internal.planner.RuleArgument;

/**
 * How long a key lives: {@code expirySeconds} after a charge that sets its expiry, as the first one does and the first one
 * after {@code rearmSeconds} more; both are means over the random part of expiries.
 */
record KeyLife(double expirySeconds, double rearmSeconds) {

    /** A charge sets the expiry when it leaves less than this beyond what its count needs. */
    private static final double LEAST_REST_SECONDS = 60;

    /** The expiries that are told are as far apart as 0, 1, .. 15 sixteenths of the spread. */
    private static final double MEAN_SPREAD = 7.5 / 16;

    /**
     * The life of the keys of a limit.
     *
     * @param chargesPerSecond of one key
     */
    static KeyLife of(Limit limit, double chargesPerSecond) {
        if (limit instanceof CalendarWindow calendar) {
            double rest = Sustained.periodSeconds(calendar) / 2;
            double spread = RuleArgument.SPREAD_MILLIS / 1e3;
            return new KeyLife(rest + RuleArgument.REST_MILLIS / 1e3 + spread * MEAN_SPREAD, rest);
        }
        double neededSeconds = RuleArgument.lifeMicros(limit) / 1e6;
        double expiry = (neededSeconds + RuleArgument.REST_MILLIS / 1e3) * (1 + MEAN_SPREAD / 10);
        double spare = expiry - LEAST_REST_SECONDS;
        if (limit instanceof SlidingWindow) {
            return new KeyLife(expiry, spare - neededSeconds);
        } else if (limit instanceof SlidingCounter) {
            // Two windows, of which half a one has passed on average.
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

    /** Which share of the time a key is there that is charged so often, at random. */
    double aliveShare(double chargesPerSecond) {
        double none = Math.exp(-chargesPerSecond * (expirySeconds - rearmSeconds));
        return 1 - none / (1 + chargesPerSecond * rearmSeconds);
    }

    /** How long a bucket takes to be whole again after a charge: what queues have that are served at a constant rate. */
    private static double owedSeconds(Limit limit, double chargesPerSecond) {
        double busy = Math.min(0.999, chargesPerSecond / Sustained.permitsPerSecond(limit));
        double owed = Math.min((double) limit.permits(), 1 + busy / (2 * (1 - busy)));
        return owed / Sustained.permitsPerSecond(limit);
    }
}
