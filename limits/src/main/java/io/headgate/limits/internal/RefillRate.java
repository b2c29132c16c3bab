package io.headgate.limits.internal;

import java.math.BigInteger;

/**
 * A refill of {@code permits} each {@code periodMicros}, in lowest terms: a permit takes {@code periodMicros /
 * permits} microseconds.
 *
 * <p>Spans of time are kept as whole microseconds plus a remainder in units of {@code 1 / permits} of one, which is
 * exact where a rounded interval would drift. All products stay below 2^53, so that Lua's doubles compute the same.
 */
public record RefillRate(long permits, long periodMicros) {

    /** Half of what is exact goes to the capacity, half to what a key carries over from another rate. */
    private static final long MAX_PRODUCT = Bounds.MAX_EXACT / 2;

    public static RefillRate of(long permits, long periodMicros) {
        long divisor = BigInteger.valueOf(permits)
                .gcd(BigInteger.valueOf(periodMicros))
                .longValueExact();
        return new RefillRate(permits / divisor, periodMicros / divisor);
    }

    /** Refuses a capacity whose products would leave the exact range. */
    public void requireExact(long capacity) {
        if (capacity > MAX_PRODUCT / permits) {
            throw new IllegalArgumentException("a token bucket of capacity " + capacity + " refilled by " + this
                    + " (in lowest terms) can't be computed exactly; the capacity may be at most "
                    + MAX_PRODUCT / permits + ", or round the rate");
        }
        if ((double) capacity * periodMicros / permits > Bounds.MAX_FILL_MICROS) {
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

    /** How many permits have wholly passed in a span. */
    public long permitsIn(long whole, long remainder) {
        // The estimate errs by less than one permit; the comparison is exact.
        long n = (long) Math.floor((whole + (double) remainder / permits) / periodMicros * permits);
        while (n > 0 && isLonger(n, whole, remainder)) {
            n--;
        }
        while (!isLonger(n + 1, whole, remainder)) {
            n++;
        }
        return n;
    }

    /** How many permits a span is worth, the last one counted even when it has only begun. */
    public long permitsRoundedUp(long whole, long remainder) {
        long n = permitsIn(whole, remainder);
        return whole(n) == whole && remainder(n) == remainder ? n : n + 1;
    }

    /** The most permits that a key may owe from another rate: what stays exact, and ten years at the most. */
    long maxCarried() {
        double inTenYears = Math.floor(Bounds.MAX_FILL_MICROS / ((double) periodMicros / permits));
        return Math.min(Math.min(Bounds.MAX_PERMITS, MAX_PRODUCT / permits), (long) inTenYears);
    }

    private boolean isLonger(long n, long whole, long remainder) {
        long nWhole = whole(n);
        return nWhole > whole || (nWhole == whole && remainder(n) > remainder);
    }

    @Override
    public String toString() {
        return permits + " per " + periodMicros + " us";
    }
}
