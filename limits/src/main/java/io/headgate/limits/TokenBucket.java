package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.algorithm.RefillRate;
import java.time.Duration;

/**
 * A bucket that holds up to {@code capacity} permits and is refilled evenly: bursts up to the capacity, and the refill
 * rate in the long run.
 *
 * <p>Refill is continuous and exact: no rounding ever adds up, whatever the rate. A new key starts full.
 *
 * @param capacity the burst: 0 to 1 000 000 000; 0 denies everything
 * @param refillPermits 1 to 1 000 000 000 in each period
 * @param refillPeriod 1 ms to 366 days, in whole microseconds
 */
public record TokenBucket(long capacity, long refillPermits, Duration refillPeriod) implements Limit {

    /** Checks the ranges, and that it takes no more than ten years from empty to full. */
    public TokenBucket {
        Bounds.inRange("capacity of a token bucket", capacity, 0, Bounds.MAX_PERMITS);
        Bounds.inRange("refillPermits", refillPermits, 1, Bounds.MAX_PERMITS);
        RefillRate.of(refillPermits, Bounds.windowMicros("refillPeriod", refillPeriod))
                .requireFilled("token bucket", capacity);
    }

    @Override
    public long permits() {
        return capacity;
    }
}
