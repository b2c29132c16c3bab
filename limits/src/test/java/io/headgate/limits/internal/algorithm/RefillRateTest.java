package io.headgate.limits.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.internal.Bounds;
import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RefillRateTest {

    private static final long MOST_PERMITS = 1_000_000_000;
    private static final long LONGEST_MICROS = Bounds.MAX_WINDOW.toNanos() / 1000;

    @Test
    void the_fast_path_for_longs_computes_the_same_as_big_integers() {
        SplittableRandom random = new SplittableRandom(1);
        int fits = 0;
        int rounds = 200_000;
        for (int i = 0; i < rounds; i++) {
            RefillRate rate = RefillRate.of(ofAnySize(random, 1, MOST_PERMITS), ofAnySize(random, 1, LONGEST_MICROS));
            long whole = ofAnySize(random, 0, 2 * MOST_PERMITS);
            long parts = ofAnySize(random, 0, rate.periodMicros() - 1);
            BigInteger all = big(whole).multiply(big(rate.periodMicros())).add(big(parts));
            fits += all.bitLength() < 64 ? 1 : 0;

            long micros = random.nextBoolean()
                    ? ofAnySize(random, 0, 10 * LONGEST_MICROS)
                    : all.divide(big(rate.permits()))
                            .min(big(10 * LONGEST_MICROS))
                            .longValueExact();
            RefillRate.Debt left = rate.paidOff(whole, parts, micros);
            BigInteger expected =
                    all.subtract(big(micros).multiply(big(rate.permits()))).max(BigInteger.ZERO);
            assertThat(big(left.whole()).multiply(big(rate.periodMicros())).add(big(left.parts())))
                    .as("%s, %d + %d parts, after %d us", rate, whole, parts, micros)
                    .isEqualTo(expected);
            assertThat(left.parts()).isBetween(0L, rate.periodMicros() - 1);

            BigInteger[] wait = all.divideAndRemainder(big(rate.permits()));
            BigInteger roundedUp = wait[0].add(BigInteger.valueOf(wait[1].signum()));
            assertThat(big(rate.microsToRefill(whole, parts)))
                    .as("%s, %d + %d parts", rate, whole, parts)
                    .isEqualTo(roundedUp.min(big(Bounds.MAX_FILL_MICROS)));
        }
        assertThat(fits).as("how many fitted in a long").isBetween(1000, rounds - 1000);
    }

    @Test
    void a_refill_that_exceeds_a_long_is_the_largest_long() {
        RefillRate rate = RefillRate.of(1_000_000_000, 1000);
        assertThat(rate.refilledIn(5000)).isEqualTo(new RefillRate.Debt(5_000_000_000L, 0));
        assertThat(rate.refilledIn(1L << 53).whole()).isEqualTo(Long.MAX_VALUE);
    }

    /** Returns small numbers as often as large ones, and sometimes an end of the range. */
    private static long ofAnySize(SplittableRandom random, long least, long most) {
        long any = random.nextLong(least, most + 1) >> random.nextInt(65 - Long.numberOfLeadingZeros(most));
        return random.nextInt(10) == 0 ? (random.nextBoolean() ? least : most) : Math.max(least, any);
    }

    private static BigInteger big(long number) {
        return BigInteger.valueOf(number);
    }
}
