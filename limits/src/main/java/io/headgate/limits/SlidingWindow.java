package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.time.Duration;

/**
 * An exact limit of {@code permits} in any window of this length.
 *
 * <p>A permit counts for exactly {@code window} from its admission. Requests in the same microsecond are counted individually. Every
 * request in the window is stored, on Redis in 4 to 7 bytes for each 1 in the binary form of its number of permits.
 *
 * @param permits 0 to 1 000 000; 0 denies everything
 * @param window 1 ms to 366 days, in whole microseconds
 */
public record SlidingWindow(long permits, Duration window) implements Limit {

    /** Checks the ranges. */
    public SlidingWindow {
        Bounds.slidingPermits(permits);
        Bounds.windowMicros("window", window);
    }
}
