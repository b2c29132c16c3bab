package io.headgate.limits.internal.algorithm;

import io.headgate.limits.internal.Bounds;
import java.math.BigInteger;

/**
 * The refill rate of a bucket: permits per period, in lowest terms.
 *
 * <p>A permit has as many parts as the period has microseconds, and each microsecond refills as many parts as the refill has permits.
 * So all numbers are integers and exact; a rounded interval between permits would drift. The parts of a debt nearly always fit into a
 * long, and the code has a fast path for that.
 */
public final class RefillRate {

    private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

    private final long permits;
    private final long periodMicros;

    /** The largest number of permits whose parts, plus those of one more permit, fit into a long. */
    private final long fittingPermits;

    /** The largest number of microseconds whose refill, in parts, fits into a long. */
    private final long fittingMicros;

    private RefillRate(long permits, long periodMicros) {
        this.permits = permits;
        this.periodMicros = periodMicros;
        this.fittingPermits = Long.MAX_VALUE / periodMicros - 1;
        this.fittingMicros = Long.MAX_VALUE / permits;
    }

    /** Returns the rate of {@code permits} per period. */
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

    /** The period in microseconds, in lowest terms; also the number of parts of a permit. */
    public long periodMicros() {
        return periodMicros;
    }

    /** Rejects a capacity that takes longer than ten years to refill. */
    public void requireFillable(String bucket, long capacity) {
        if (micros(capacity, 0).compareTo(BigInteger.valueOf(Bounds.MAX_FILL_MICROS)) > 0) {
            throw new IllegalArgumentException("a " + bucket + " of capacity " + capacity + " with a rate of " + this
                    + " takes longer than ten years for its whole capacity; raise the rate or lower the capacity");
        }
    }

    /**
     * Returns the time in which whole permits and parts of one are refilled, in microseconds, rounded up; at most {@link
     * Bounds#MAX_FILL_MICROS}. The debt of a key whose limit has changed may take longer than that.
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

    /** Returns what remains, after some time, of a debt of whole permits and parts of one. */
    Debt paidOff(long whole, long parts, long micros) {
        if (whole > fittingPermits) {
            return paidOffTheLongWay(whole, parts, micros);
        }
        long paid = micros > fittingMicros ? Long.MAX_VALUE : micros * permits;
        long left = whole * periodMicros + parts - paid;
        // Usually the whole debt is paid off, and a division would take as long as the rest of the decision.
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
     * Returns the permits that are refilled in some time, at most {@link Long#MAX_VALUE}.
     */
    Debt refilledIn(long micros) {
        BigInteger[] refilled = BigInteger.valueOf(micros)
                .multiply(BigInteger.valueOf(permits))
                .divideAndRemainder(BigInteger.valueOf(periodMicros));
        return new Debt(refilled[0].min(MOST).longValueExact(), refilled[1].longValueExact());
    }

    /** Returns the difference of a debt and a part of it, which must not be larger. */
    Debt minus(Debt owed, Debt gone) {
        boolean borrows = owed.parts < gone.parts;
        return new Debt(
                owed.whole - gone.whole - (borrows ? 1 : 0), owed.parts - gone.parts + (borrows ? periodMicros : 0));
    }

    /** A number of permits: whole ones, and parts of one more. */
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
