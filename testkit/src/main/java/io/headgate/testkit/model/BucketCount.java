package io.headgate.testkit.model;

import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.TokenBucket;
import java.math.BigInteger;

/**
 * The model of both buckets. It stores the owed permits as an exact fraction: how many permits a token bucket is below full, or a leaky
 * bucket above empty.
 *
 * <p>Owed permits decrease at the rate of the current limit, from the last charge or refund on. If the period of the limit has changed, a
 * fraction of a permit is rounded up to the resolution of the new period.
 */
final class BucketCount extends Count {

    /** A bound of every wait: a bucket must be full again, or empty, after ten years at most. */
    private static final long TEN_YEARS_MICROS = 3660L * 24 * 3600 * 1_000_000;

    private Fraction owedThen = Fraction.of(0);
    private BigInteger periodThen = BigInteger.ONE;

    @Override
    RuleResult resultAt(Limit limit, long permits, long atMicros) {
        Fraction permitsPerMicro = permitsPerMicro(limit);
        Fraction owed = owed(limit, atMicros);
        long remaining = Math.max(0, limit.permits() - owed.roundedUp());
        long resetMicros = micros(owed, permitsPerMicro);
        if (permits > limit.permits()) {
            return new RuleResult(remaining, RuleResult.NEVER, resetMicros);
        }
        Fraction missing = owed.plus(Fraction.of(permits - limit.permits()));
        if (missing.isPositive()) {
            return new RuleResult(remaining, micros(missing, permitsPerMicro), resetMicros);
        }
        boolean shapes = limit instanceof LeakyBucket leaky && leaky.mode() == LeakyBucket.Mode.SHAPER;
        return new RuleResult(remaining, RuleResult.NOW, shapes ? resetMicros : 0, resetMicros);
    }

    @Override
    void add(Limit limit, long permits, long atMicros) {
        owedThen = owed(limit, atMicros).plus(Fraction.of(permits));
        periodThen = permitsPerMicro(limit).denominator();
    }

    @Override
    long refundAt(Limit limit, long permits, long chargedMicros, long resetAtMicros, long atMicros) {
        Fraction unpaid = Fraction.of(permits);
        if (chargedMicros > 0 && chargedMicros != lastMicros()) {
            // Other charges followed. Of this one, only what the bucket restores until the reset of this charge is
            // still owed.
            long untilResetMicros = Math.max(0, resetAtMicros - 1 - atMicros);
            unpaid = unpaid.least(permitsPerMicro(limit).times(Fraction.of(untilResetMicros)));
        }
        Fraction owed = owed(limit, atMicros);
        Fraction back = unpaid.least(owed);
        if (back.isPositive()) {
            owedThen = owed.minus(back);
            periodThen = permitsPerMicro(limit).denominator();
            setLastMicros(atMicros);
        }
        return back.roundedUp();
    }

    /** The whole permits that raise the owed permits to the capacity, or above it by a fraction of a permit. */
    @Override
    long roomForAttempts(Limit limit, long atMicros) {
        return limit.permits() - owed(limit, atMicros).roundedDown();
    }

    @Override
    void limitToCapacity(Limit limit) {
        Fraction capacity = Fraction.of(limit.permits());
        owedThen = owedThen.minus(capacity).isPositive() ? capacity : owedThen;
    }

    private Fraction owed(Limit limit, long atMicros) {
        Fraction permitsPerMicro = permitsPerMicro(limit);
        Fraction paid = permitsPerMicro.times(Fraction.of(atMicros - lastMicros()));
        Fraction owed = owedInPartsOf(permitsPerMicro.denominator()).minus(paid);
        return owed.isPositive() ? owed : Fraction.of(0);
    }

    /** The owed permits in the resolution of this period. The fraction is converted as a double: no state is exact for every period. */
    private Fraction owedInPartsOf(BigInteger period) {
        if (period.equals(periodThen)) {
            return owedThen;
        }
        Fraction whole = Fraction.of(owedThen.roundedDown());
        double share = owedThen.minus(whole).nearest();
        BigInteger parts = BigInteger.valueOf((long) Math.ceil(share * period.doubleValue()));
        return whole.plus(new Fraction(parts, period));
    }

    private static long micros(Fraction permits, Fraction permitsPerMicro) {
        BigInteger whole = permits.dividedBy(permitsPerMicro).roundedUpExactly();
        return whole.min(BigInteger.valueOf(TEN_YEARS_MICROS)).longValueExact();
    }

    private static Fraction permitsPerMicro(Limit limit) {
        return limit instanceof LeakyBucket leaky
                ? new Fraction(BigInteger.valueOf(leaky.leakPermits()), BigInteger.valueOf(micros(leaky.leakPeriod())))
                : new Fraction(
                        BigInteger.valueOf(((TokenBucket) limit).refillPermits()),
                        BigInteger.valueOf(micros(((TokenBucket) limit).refillPeriod())));
    }
}
