package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.time.Duration;
import java.util.Objects;

/**
 * A limit of {@code permits} in each window: a counter that restarts from zero when its window ends.
 *
 * <p>This is the cheapest limit. Up to twice the limit may be admitted within one window's length, around the boundary between two
 * windows. If that matters, use a {@link SlidingWindow}.
 *
 * @param permits 0 to 1 000 000 000; 0 denies everything
 * @param window 1 ms to 366 days, in whole microseconds
 * @param alignment where windows start
 */
public record FixedWindow(long permits, Duration window, Alignment alignment) implements Limit {

    /** Where a window starts. */
    public enum Alignment {
        /** Windows start at multiples of their length since 1970 in UTC, so the windows of all keys start at the same instant. */
        CLOCK,
        /** A window starts with the first request that is charged after the last window has ended, so each key has windows of its own. */
        FIRST_REQUEST
    }

    /** Checks the ranges. */
    public FixedWindow {
        Bounds.inRange("permits of a fixed window", permits, 0, Bounds.MAX_PERMITS);
        Bounds.windowMicros("window", window);
        Objects.requireNonNull(alignment, "alignment");
    }

    /** Returns the same limit with windows that start with their first request, instead of by the clock. */
    public FixedWindow fromFirstRequest() {
        return new FixedWindow(permits, window, Alignment.FIRST_REQUEST);
    }
}
