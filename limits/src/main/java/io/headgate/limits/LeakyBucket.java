package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.algorithm.RefillRate;
import java.time.Duration;
import java.util.Objects;

/**
 * A bucket that fills by one for each admitted permit and leaks at a constant rate. It denies what would overflow it.
 *
 * <p>By default it is a meter: an admitted request passes at once. It allows bursts up to the capacity, and the leak rate in the
 * long run, like a {@link TokenBucket}. As a {@linkplain #shaper() shaper} it is a queue: an admitted request has a {@linkplain
 * Decision#delay() delay} to wait for, so that requests leave evenly spaced. A request that finds the queue full is denied.
 *
 * @param capacity the permits that it holds: 0 to 1 000 000 000; 0 denies everything
 * @param leakPermits the permits that leak in each period: 1 to 1 000 000 000
 * @param leakPeriod the period: 1 ms to 366 days, in whole microseconds
 * @param mode whether admitted requests pass at once
 */
public record LeakyBucket(long capacity, long leakPermits, Duration leakPeriod, Mode mode) implements Limit {

    /** When an admitted request passes. */
    public enum Mode {
        /** It passes at once. */
        METER,
        /** An admitted request must wait until all that was admitted before it has leaked out. */
        SHAPER
    }

    /** Checks the ranges, and that a full bucket is empty after ten years at most. */
    public LeakyBucket {
        Bounds.inRange("capacity of a leaky bucket", capacity, 0, Bounds.MAX_PERMITS);
        Bounds.inRange("leakPermits", leakPermits, 1, Bounds.MAX_PERMITS);
        RefillRate.of(leakPermits, Bounds.windowMicros("leakPeriod", leakPeriod))
                .requireFilled("leaky bucket", capacity);
        Objects.requireNonNull(mode, "mode");
    }

    /**
     * The same bucket as a queue. Its capacity is how many permits may be in it: those that wait, and the one whose turn
     * it is. So the longest wait is that of {@code capacity - 1} permits leaking.
     */
    public LeakyBucket shaper() {
        return new LeakyBucket(capacity, leakPermits, leakPeriod, Mode.SHAPER);
    }

    @Override
    public long permits() {
        return capacity;
    }
}
