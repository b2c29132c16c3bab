package io.headgate.testkit.model;

import static java.util.Objects.requireNonNullElse;

import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.TokenBucket;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * The model of the token bucket: the time that refilling it takes, as an exact fraction of microseconds.
 *
 * <p>Under another rate than that of the last charge the same permits are owed: whole ones, and what is begun of
 * another in 256ths, rounded up; at most {@link #mostCarried}.
 */
final class TokenBucketCount extends Count {

    private static final Fraction PARTS = Fraction.of(256);
    private static final double TEN_YEARS_MICROS = 3660.0 * 24 * 3600 * 1_000_000;

    private Fraction debtMicros = Fraction.of(0);

    /** How long a permit took under the rate of the last charge. */
    private @Nullable Fraction microsAPermitThen;

    @Override
    Answer lookAt(Limit limit, long permits, long atMicros) {
        Fraction microsAPermit = microsAPermit((TokenBucket) limit);
        Fraction debt = debt((TokenBucket) limit, atMicros);
        long owed = debt.dividedBy(microsAPermit).roundedUp();
        long remaining = Math.max(0, limit.permits() - owed);
        if (permits > limit.permits()) {
            return new Answer(remaining, Decision.NEVER, debt.roundedUp());
        }
        Fraction most = microsAPermit.times(Fraction.of(limit.permits()));
        Fraction missing = debt.plus(microsAPermit.times(Fraction.of(permits))).minus(most);
        return new Answer(remaining, missing.isPositive() ? missing.roundedUp() : Decision.NOW, debt.roundedUp());
    }

    @Override
    void add(Limit limit, long permits, long atMicros) {
        Fraction microsAPermit = microsAPermit((TokenBucket) limit);
        debtMicros = debt((TokenBucket) limit, atMicros).plus(microsAPermit.times(Fraction.of(permits)));
        microsAPermitThen = microsAPermit;
    }

    private Fraction debt(TokenBucket limit, long atMicros) {
        Fraction left = debtMicros.minus(Fraction.of(atMicros - lastMicros()));
        Fraction now = microsAPermit(limit);
        Fraction then = requireNonNullElse(microsAPermitThen, now);
        if (!left.isPositive()) {
            return Fraction.of(0);
        }
        return then.equals(now) ? left : carried(left, then, now);
    }

    private static Fraction carried(Fraction debt, Fraction microsAPermitThen, Fraction microsAPermitNow) {
        Fraction permits = debt.dividedBy(microsAPermitThen);
        long whole = permits.roundedDown();
        long parts = permits.minus(Fraction.of(whole)).times(PARTS).roundedUp();
        long most = mostCarried(microsAPermitNow);
        if (whole >= most) {
            whole = most;
            parts = 0;
        }
        BigInteger period = microsAPermitNow.numerator();
        BigInteger rate = microsAPermitNow.denominator();
        long partsOfPeriod = new Fraction(BigInteger.valueOf(parts).multiply(period), PARTS.numerator()).roundedUp();
        return microsAPermitNow.times(Fraction.of(whole)).plus(new Fraction(BigInteger.valueOf(partsOfPeriod), rate));
    }

    /** A billion permits, as many as can be computed exactly, or those of ten years: whichever is least. */
    private static long mostCarried(Fraction microsAPermit) {
        long rate = microsAPermit.denominator().longValueExact();
        double period = microsAPermit.numerator().doubleValue();
        long ofTenYears = (long) (TEN_YEARS_MICROS / (period / rate));
        long exact = (1L << 52) / rate;
        return Math.min(1_000_000_000, Math.min(ofTenYears, exact));
    }

    private static Fraction microsAPermit(TokenBucket limit) {
        return new Fraction(
                BigInteger.valueOf(micros(limit.refillPeriod())), BigInteger.valueOf(limit.refillPermits()));
    }
}
