package io.headgate.testkit.model;

import io.headgate.limits.Limit;
import io.headgate.limits.TokenBucket;
import java.math.BigInteger;

/**
 * The model of the token bucket: the permits that are owed until it is full, as an exact fraction.
 *
 * <p>What is owed is paid off at the rate of the limit that asks, from the last charge on. Under a limit of another
 * period, the share of a permit that has begun is rounded up to what that period can tell.
 */
final class TokenBucketCount extends Count {

    private static final long TEN_YEARS_MICROS = 3660L * 24 * 3600 * 1_000_000;

    private Fraction owedThen = Fraction.of(0);
    private BigInteger periodThen = BigInteger.ONE;

    @Override
    Answer lookAt(Limit limit, long permits, long atMicros) {
        Fraction permitsAMicro = permitsAMicro((TokenBucket) limit);
        Fraction owed = owed((TokenBucket) limit, atMicros);
        long remaining = Math.max(0, limit.permits() - owed.roundedUp());
        long resetMicros = micros(owed, permitsAMicro);
        if (permits > limit.permits()) {
            return new Answer(remaining, Answer.NEVER, resetMicros);
        }
        Fraction missing = owed.plus(Fraction.of(permits - limit.permits()));
        return new Answer(remaining, missing.isPositive() ? micros(missing, permitsAMicro) : Answer.NOW, resetMicros);
    }

    @Override
    void add(Limit limit, long permits, long atMicros) {
        owedThen = owed((TokenBucket) limit, atMicros).plus(Fraction.of(permits));
        periodThen = permitsAMicro((TokenBucket) limit).denominator();
    }

    private Fraction owed(TokenBucket limit, long atMicros) {
        Fraction permitsAMicro = permitsAMicro(limit);
        Fraction paid = permitsAMicro.times(Fraction.of(atMicros - lastMicros()));
        Fraction owed = inPartsOf(permitsAMicro.denominator()).minus(paid);
        return owed.isPositive() ? owed : Fraction.of(0);
    }

    /** The share is a double: the nearest to what it is, since no state can keep what is exact at any two periods. */
    private Fraction inPartsOf(BigInteger period) {
        if (period.equals(periodThen)) {
            return owedThen;
        }
        Fraction whole = Fraction.of(owedThen.roundedDown());
        double share = owedThen.minus(whole).nearest();
        BigInteger parts = BigInteger.valueOf((long) Math.ceil(share * period.doubleValue()));
        return whole.plus(new Fraction(parts, period));
    }

    private static long micros(Fraction permits, Fraction permitsAMicro) {
        BigInteger whole = permits.dividedBy(permitsAMicro).roundedUpExactly();
        return whole.min(BigInteger.valueOf(TEN_YEARS_MICROS)).longValueExact();
    }

    private static Fraction permitsAMicro(TokenBucket limit) {
        return new Fraction(
                BigInteger.valueOf(limit.refillPermits()), BigInteger.valueOf(micros(limit.refillPeriod())));
    }
}
