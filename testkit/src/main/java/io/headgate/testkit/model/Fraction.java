package io.headgate.testkit.model;

import java.math.BigInteger;

/** An exact fraction in lowest terms, with a denominator above zero. */
record Fraction(BigInteger numerator, BigInteger denominator) {

    Fraction {
        BigInteger divisor = numerator.gcd(denominator);
        numerator = numerator.divide(divisor);
        denominator = denominator.divide(divisor);
    }

    static Fraction of(long whole) {
        return new Fraction(BigInteger.valueOf(whole), BigInteger.ONE);
    }

    Fraction plus(Fraction other) {
        return new Fraction(
                numerator.multiply(other.denominator).add(other.numerator.multiply(denominator)),
                denominator.multiply(other.denominator));
    }

    Fraction minus(Fraction other) {
        return plus(new Fraction(other.numerator.negate(), other.denominator));
    }

    Fraction times(Fraction other) {
        return new Fraction(numerator.multiply(other.numerator), denominator.multiply(other.denominator));
    }

    /** Divides by a fraction above zero. */
    Fraction dividedBy(Fraction other) {
        return new Fraction(numerator.multiply(other.denominator), denominator.multiply(other.numerator));
    }

    /** The nearest double; exact to the last bit when numerator and denominator are below 2^53. */
    double nearest() {
        return numerator.doubleValue() / denominator.doubleValue();
    }

    Fraction least(Fraction other) {
        return minus(other).isPositive() ? other : this;
    }

    boolean isPositive() {
        return numerator.signum() > 0;
    }

    /** The largest whole number that is not above this fraction, which must not be negative. */
    long roundedDown() {
        return numerator.divide(denominator).longValueExact();
    }

    /** The least whole number that is not below this fraction, which must not be negative. */
    long roundedUp() {
        return roundedUpExactly().longValueExact();
    }

    /** The result of {@link #roundedUp} even if it exceeds a long. */
    BigInteger roundedUpExactly() {
        return numerator.add(denominator).subtract(BigInteger.ONE).divide(denominator);
    }
}
