package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.time.Duration;

/**
 * About {@code permits} in any window of this length, estimated from two counts: that of the present window of the clock, and
 * that of the one before, which weighs as much of itself as still lies in the window that ends now.
 *
 * <p>For limits too large for a {@link SlidingWindow}: it takes a few bytes whatever the limit, and is exact when what
 * came in the window before came evenly. When it all came at that window's end, a window may hold up to twice the limit;
 * never more. The estimate is rounded up. This is the approximation that Cloudflare described in 2017.
 *
 * @param permits 0 to 1 000 000 000; 0 denies everything
 * @param window 1 ms to 366 days, in whole microseconds; windows begin at multiples of it since 1970, UTC
 */
public record SlidingCounter(long permits, Duration window) implements Limit {

    /** Checks the ranges. */
    public SlidingCounter {
        Bounds.inRange("permits of a sliding counter", permits, 0, Bounds.MAX_PERMITS);
        Bounds.windowMicros("window", window);
    }
}
