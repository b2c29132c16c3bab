package io.headgate.limits.internal.algorithm;

import io.headgate.limits.internal.Bounds;
import java.math.BigInteger;

/**
 * A refill of a number of permits per period, in lowest terms.
 *
 * <p>A permit has as many parts as the period has microseconds, and each microsecond refills as many parts as the refill has permits. So
 * all numbers are whole and exact, where a rounded interval between permits would drift. Nearly always all parts of a debt fit into a
 * long, for which the arithmetic is fast.
 */
public final class RefillRate {

    private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

    private final long permits;
    private final long periodMicros;

    /** The largest number of permits whose parts fit into a long, with parts of one more. */
    private final long fittingPermits;

    /** The refill of up to this number of microseconds fits into a long. */
    private final long fittingMicros;

    private RefillRate(long permits, long periodMicros) {
        this.permits = permits;
        this.periodMicros = periodMicros;
        this.fittingPermits = Long.MAX_VALUE / periodMicros - 1;
        this.fittingMicros = Long.MAX_VALUE / permits;
    }

    /** The rate of {@code permits} in a period. */
    public static RefillRate of(long permits, long periodMicros) {
        long divisor = BigInteger.valueOf(permits)
                .gcd(BigInteger.valueOf(periodMicros))
                .longValueExact();
        return new RefillRate(permits / divisor, periodMicros / divisor);
    }

    /** The permits refilled in a period, in lowest terms. */
    public long permits() {
        return permits;
    }

    /** The period in microseconds, in lowest terms: the parts of a permit. */
    public long periodMicros() {
        return periodMicros;
    }

    /** Rejects a capacity that takes too long to refill. */
    public void requireFilled(String bucket, long capacity) {
        if (micros(capacity, 0).compareTo(BigInteger.valueOf(Bounds.MAX_FILL_MICROS)) > 0) {
            throw new IllegalArgumentException("a " + bucket + " of capacity " + capacity + " with a rate of " + this
                    + " takes longer than ten years for all of it; raise the rate or lower the capacity");
        }
    }

    /**
     * How many microseconds it takes to refill whole permits and parts of one, rounded up. What was owed to another
     * limit may take longer than any limit does; more than {@link Bounds#MAX_FILL_MICROS} are not reported.
     */
    public long microsToRefill(long whole, long parts) {
        if (whole > fittingPermits) {
            return micros(whole, parts)
                    .min(BigInteger.valueOf(Bounds.MAX_FILL_MICROS))
                    .longValueExact();
        }
        long all = whole * periodMicros + parts;
        if (all <= permits) {
            return all > 0 ? 1 : 0;
        }
        long micros = all / permits;
        return Math.min(micros * permits < all ? micros + 1 : micros, Bounds.MAX_FILL_MICROS);
    }

    /** The rest of a debt of whole permits and parts of one after a span. */
    Debt paidOff(long whole, long parts, long micros) {
        if (whole > fittingPermits) {
            return paidOffTheLongWay(whole, parts, micros);
        }
        long paid = micros > fittingMicros ? Long.MAX_VALUE : micros * permits;
        long left = whole * periodMicros + parts - paid;
        // Mostly all is paid off, and a division takes as long as the rest of the decision.
        long wholeLeft = left <= 0 ? 0 : left / periodMicros;
        long partsLeft = left <= 0 ? 0 : left - wholeLeft * periodMicros;
        return new Debt(wholeLeft, partsLeft);
    }

    private Debt paidOffTheLongWay(long whole, long parts, long micros) {
        BigInteger period = BigInteger.valueOf(periodMicros);
        BigInteger paid = BigInteger.valueOf(micros).multiply(BigInteger.valueOf(permits));
        BigInteger[] left = BigInteger.valueOf(whole)
                .multiply(period)
                .add(BigInteger.valueOf(parts))
                .subtract(paid)
                .max(BigInteger.ZERO)
                .divideAndRemainder(period);
        return new Debt(left[0].longValueExact(), left[1].longValueExact());
    }

    /**
     * The refill of a span, at most {@link Long#MAX_VALUE} permits: under another limit a span may refill more than any limit has.
     */
    Debt refilledIn(long micros) {
        BigInteger[] refilled = BigInteger.valueOf(micros)
                .multiply(BigInteger.valueOf(permits))
                .divideAndRemainder(BigInteger.valueOf(periodMicros));
        return new Debt(refilled[0].min(MOST).longValueExact(), refilled[1].longValueExact());
    }

    /** The rest of a debt after a part of it, which is not larger. */
    Debt minus(Debt owed, Debt gone) {
        boolean borrows = owed.parts < gone.parts;
        return new Debt(
                owed.whole - gone.whole - (borrows ? 1 : 0), owed.parts - gone.parts + (borrows ? periodMicros : 0));
    }

    /** Whole permits, and fewer parts than one more has. */
    record Debt(long whole, long parts) {

        Debt least(Debt other) {
            return whole < other.whole || (whole == other.whole && parts <= other.parts) ? this : other;
        }

        /** The permits, rounded up. */
        long roundedUp() {
            return parts > 0 ? whole + 1 : whole;
        }
    }

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
