package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.algorithm.RefillRate;
import java.time.Duration;

/**
 * A bucket that holds up to {@code capacity} permits and is refilled evenly. It allows bursts up to the capacity, and the refill rate
 * in the long run.
 *
 * <p>The refill is continuous and exact: rounding errors do not accumulate, whatever the rate. A new key starts with a full bucket.
 *
 * @param capacity the permits of a full bucket, and so the largest burst: 0 to 1 000 000 000; 0 denies everything
 * @param refillPermits the permits that are refilled in each period: 1 to 1 000 000 000
 * @param refillPeriod the period: 1 ms to 366 days, in whole microseconds
 */
public record TokenBucket(long capacity, long refillPermits, Duration refillPeriod) implements Limit {

    /** Checks the ranges, and that an empty bucket is full after at most ten years. */
    public TokenBucket {
        Bounds.inRange("capacity of a token bucket", capacity, 0, Bounds.MAX_PERMITS);
        Bounds.inRange("refillPermits", refillPermits, 1, Bounds.MAX_PERMITS);
        RefillRate.of(refillPermits, Bounds.windowMicros("refillPeriod", refillPeriod))
                .requireFillable("token bucket", capacity);
    }

    @Override
    public long permits() {
        return capacity;
    }
}
