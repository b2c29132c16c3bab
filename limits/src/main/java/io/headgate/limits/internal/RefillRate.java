package io.headgate.limits.internal;

import java.math.BigInteger;

/**
 * A refill of {@code permits} each {@code periodMicros}, in lowest terms, so that a permit takes {@code
 * periodMicros / permits} microseconds.
 *
 * <p>Times are kept as whole microseconds plus a remainder in units of {@code 1 / permits} of one: that is exact where
 * a rounded interval would drift. All values stay below 2^53, so that Lua's doubles compute the same.
 */
public record RefillRate(long permits, long periodMicros) {

    public static RefillRate of(long permits, long periodMicros) {
        long divisor = BigInteger.valueOf(permits)
                .gcd(BigInteger.valueOf(periodMicros))
                .longValueExact();
        return new RefillRate(permits / divisor, periodMicros / divisor);
    }

    /** Refuses a capacity whose products would leave the exact range. */
    public void requireExact(long capacity) {
        if (Math.multiplyHigh(capacity, permits) != 0 || capacity * permits >= Bounds.MAX_EXACT) {
            throw new IllegalArgumentException("a token bucket of capacity " + capacity + " refilled by " + this
                    + " can't be computed exactly: capacity times permits (in lowest terms) must be below 2^53;"
                    + " round the rate or lower the capacity");
        }
        double fillMicros = (double) capacity * periodMicros / permits;
        if (fillMicros > Bounds.MAX_FILL_MICROS) {
            throw new IllegalArgumentException("a token bucket of capacity " + capacity + " refilled by " + this
                    + " takes longer than ten years from empty to full; raise the rate or lower the capacity");
        }
    }

    /** Whole microseconds that {@code n} permits take. */
    public long whole(long n) {
        return n * (periodMicros / permits) + n * (periodMicros % permits) / permits;
    }

    /** What {@link #whole} leaves, in units of {@code 1 / permits} microseconds. */
    public long remainder(long n) {
        return n * (periodMicros % permits) % permits;
    }

    /** How many permits a time of {@code whole + remainder / permits} microseconds is, rounded up. */
    public long permitsRoundedUp(long whole, long remainder) {
        long n = Math.max(0, (long) ((double) whole / periodMicros * permits) - 1);
        while (whole(n) < whole || (whole(n) == whole && remainder(n) < remainder)) {
            n++;
        }
        return n;
    }

    @Override
    public String toString() {
        return permits + " per " + periodMicros + " us";
    }
}
