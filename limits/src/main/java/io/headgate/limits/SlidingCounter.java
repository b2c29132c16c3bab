package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.time.Duration;

/**
 * An approximate limit of {@code permits} in any window of this length. The number of permits in the window that ends now is estimated
 * from two counts: that of the current clock window, and that of the previous one, weighted by the fraction of it that the window still
 * covers.
 *
 * <p>Use it for limits that are too large for a {@link SlidingWindow}: the size of a key does not depend on the limit. The estimate is
 * exact if the permits of the previous window were spread evenly. In the worst case, when all of them came at its end, up to twice the
 * limit is admitted in a window. The estimate is rounded up. This is the approximation that Cloudflare described in 2017.
 *
 * @param permits 0 to 1 000 000 000; 0 denies everything
 * @param window 1 ms to 366 days, in whole microseconds; clock windows start at multiples of it since 1970 in UTC
 */
public record SlidingCounter(long permits, Duration window) implements Limit {

    /** Checks the ranges. */
    public SlidingCounter {
        Bounds.inRange("permits of a sliding counter", permits, 0, Bounds.MAX_PERMITS);
        Bounds.windowMicros("window", window);
    }
}
