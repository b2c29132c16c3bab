package io.headgate.limits.internal;

import java.math.BigInteger;

/**
 * A refill of {@code permits} each {@code periodMicros}, in lowest terms.
 *
 * <p>A permit is {@code periodMicros} parts, of which each microsecond refills {@code permits}: in parts all is whole
 * numbers, and exact where a rounded interval between permits would drift.
 */
public record RefillRate(long permits, long periodMicros) {

    public static RefillRate of(long permits, long periodMicros) {
        long divisor = BigInteger.valueOf(permits)
                .gcd(BigInteger.valueOf(periodMicros))
                .longValueExact();
        return new RefillRate(permits / divisor, periodMicros / divisor);
    }

    /** Refuses a capacity that takes too long from empty to full. */
    public void requireFilled(long capacity) {
        if (micros(capacity, 0).compareTo(BigInteger.valueOf(Bounds.MAX_FILL_MICROS)) > 0) {
            throw new IllegalArgumentException("a token bucket of capacity " + capacity + " refilled by " + this
                    + " takes longer than ten years from empty to full; raise the rate or lower the capacity");
        }
    }

    /**
     * How many microseconds it takes to refill whole permits and parts of one, rounded up. What was owed to another
     * limit may take longer than any limit does; more than {@link Bounds#MAX_FILL_MICROS} are not told.
     */
    public long microsToRefill(long whole, long parts) {
        if (Math.multiplyHigh(whole, periodMicros) == 0) {
            long all = whole * periodMicros + parts;
            // One permit more than there is room for would show as a negative number.
            if (all >= 0 && all + permits > 0) {
                return Math.min((all + permits - 1) / permits, Bounds.MAX_FILL_MICROS);
            }
        }
        return micros(whole, parts)
                .min(BigInteger.valueOf(Bounds.MAX_FILL_MICROS))
                .longValueExact();
    }

    /** How many parts are refilled in a span, at most {@code most} permits: whole permits, and parts of one. */
    Refilled refilledIn(long micros, long most) {
        if (Math.multiplyHigh(micros, permits) == 0 && micros * permits >= 0) {
            long parts = micros * permits;
            return new Refilled(parts / periodMicros, parts % periodMicros);
        }
        if ((double) micros / periodMicros * permits > most + 2.0) {
            return new Refilled(most, 0);
        }
        BigInteger[] refilled = BigInteger.valueOf(micros)
                .multiply(BigInteger.valueOf(permits))
                .divideAndRemainder(BigInteger.valueOf(periodMicros));
        return new Refilled(refilled[0].longValueExact(), refilled[1].longValueExact());
    }

    /** Whole permits, and parts of one. */
    record Refilled(long whole, long parts) {}

    private BigInteger micros(long whole, long parts) {
        BigInteger divisor = BigInteger.valueOf(permits);
        return BigInteger.valueOf(whole)
                .multiply(BigInteger.valueOf(periodMicros))
                .add(BigInteger.valueOf(parts))
                .add(divisor)
                .subtract(BigInteger.ONE)
                .divide(divisor);
    }

    @Override
    public String toString() {
        return permits + " per " + periodMicros + " us";
    }
}
