package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.algorithm.RefillRate;
import java.time.Duration;
import java.util.Objects;

/**
 * A bucket that fills by one for each admitted permit and leaks at a constant rate. A request that would overflow the bucket is denied.
 *
 * <p>By default it is a meter: an admitted request continues immediately. A meter allows bursts up to the capacity, and the leak rate
 * in the long run, like a {@link TokenBucket}. A {@linkplain #shaper() shaper} is a queue: an admitted request must wait for a
 * {@linkplain Decision#delay() delay} before it continues, so that requests leave evenly spaced. If the queue is full, the request is
 * denied.
 *
 * @param capacity the permits that fit into the bucket: 0 to 1 000 000 000; 0 denies everything
 * @param leakPermits the permits that leak in each period: 1 to 1 000 000 000
 * @param leakPeriod the period: 1 ms to 366 days, in whole microseconds
 * @param mode whether admitted requests continue immediately or wait for a delay
 */
public record LeakyBucket(long capacity, long leakPermits, Duration leakPeriod, Mode mode) implements Limit {

    /** When an admitted request continues. */
    public enum Mode {
        /** Immediately. */
        METER,
        /** After its delay: when all permits that were admitted before it have leaked out. */
        SHAPER
    }

    /** Checks the ranges, and that a full bucket is empty after ten years at most. */
    public LeakyBucket {
        Bounds.inRange("capacity of a leaky bucket", capacity, 0, Bounds.MAX_PERMITS);
        Bounds.inRange("leakPermits", leakPermits, 1, Bounds.MAX_PERMITS);
        RefillRate.of(leakPermits, Bounds.windowMicros("leakPeriod", leakPeriod))
                .requireFillable("leaky bucket", capacity);
        Objects.requireNonNull(mode, "mode");
    }

    /**
     * Returns the same bucket as a queue. The capacity bounds the permits in the queue, including the one that is leaving. So the
     * longest delay is the time in which {@code capacity - 1} permits leak.
     */
    public LeakyBucket shaper() {
        return new LeakyBucket(capacity, leakPermits, leakPeriod, Mode.SHAPER);
    }

    @Override
    public long permits() {
        return capacity;
    }
}
