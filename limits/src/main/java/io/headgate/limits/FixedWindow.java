package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.time.Duration;
import java.util.Objects;

/**
 * At most {@code permits} in each window: a counter that starts again when its window ends.
 *
 * <p>The cheapest limit. Two windows that meet may together admit twice the limit within one window's length; where
 * that matters, take a {@link SlidingWindow}.
 *
 * @param permits 0 to 1 000 000 000; 0 denies everything
 * @param window 1 ms to 366 days, in whole microseconds
 * @param alignment where windows begin
 */
public record FixedWindow(long permits, Duration window, Alignment alignment) implements Limit {

    /** Where a window begins. */
    public enum Alignment {
        /** At multiples of its length since 1970, UTC: all keys change windows at the same instant. */
        CLOCK,
        /** With the first request that is admitted after the last window has ended: each key has its own. */
        FIRST_REQUEST
    }

    /** Checks the ranges. */
    public FixedWindow {
        Bounds.inRange("permits of a fixed window", permits, 0, Bounds.MAX_PERMITS);
        Bounds.windowMicros("window", window);
        Objects.requireNonNull(alignment, "alignment");
    }

    /** The same window, started by the first request instead of by the clock. */
    public FixedWindow fromFirstRequest() {
        return new FixedWindow(permits, window, Alignment.FIRST_REQUEST);
    }
}
