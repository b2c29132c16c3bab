package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.time.Duration;

/**
 * At most {@code permits} in any window of this length, exactly.
 *
 * <p>A permit that is admitted at an instant is counted until {@code window} later, and no longer. Two requests in the
 * same microsecond are two requests. Every permit in the window is remembered, in 4 to 7 bytes on Redis.
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
