package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.algorithm.RefillRate;
import java.time.Duration;
import java.util.Objects;

/**
 * A bucket that each admitted permit fills and that leaks evenly: it lets pass what it can hold.
 *
 * <p>As a meter, which it is by default, an admitted request passes at once: bursts up to the capacity, and the leak rate
 * in the long run, as by a {@link TokenBucket}. As a {@linkplain #shaper() shaper} it is a queue: an admitted request is
 * receives the {@linkplain Decision#delay() delay} to wait, so that requests leave evenly spaced, and one that finds the queue
 * full is denied.
 *
 * @param capacity how much it holds: 0 to 1 000 000 000; 0 denies everything
 * @param leakPermits 1 to 1 000 000 000 in each period
 * @param leakPeriod 1 ms to 366 days, in whole microseconds
 * @param mode whether what is admitted passes at once
 */
public record LeakyBucket(long capacity, long leakPermits, Duration leakPeriod, Mode mode) implements Limit {

    /** What becomes of what is admitted. */
    public enum Mode {
        /** It passes at once. */
        METER,
        /** An admitted request must wait until all that was admitted before it has leaked out. */
        SHAPER
    }

    /** Checks the ranges, and that it takes no more than ten years from full to empty. */
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
