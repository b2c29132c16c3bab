package io.headgate.redis.limits;

import static net.jqwik.api.Arbitraries.doubles;
import static net.jqwik.api.Arbitraries.integers;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/** Generators of random permits and windows: small and large ones equally often, and the boundary values of the algorithms. */
final class Numbers {

    static final long MOST_PERMITS = 1_000_000_000;
    static final long MOST_SLIDING_PERMITS = 1_000_000;

    /** The lengths of sliding windows in microseconds from which Redis stores wider entries. */
    private static final List<Long> WIDTHS = List.of(1L << 27, 1L << 35, 1L << 43);

    private Numbers() {}

    static Arbitrary<Long> permits(long most) {
        return Arbitraries.frequencyOf(
                Tuple.of(3, smallPermits()),
                Tuple.of(3, logUniform(1, most)),
                Tuple.of(1, Arbitraries.of(15L, 16L, 17L, 31L, 32L, 33L, 1000L, most)));
    }

    static Arbitrary<Long> smallPermits() {
        return Arbitraries.frequencyOf(
                Tuple.of(1, integers().between(0, 1).map(Integer::longValue)),
                Tuple.of(9, integers().between(1, 20).map(Integer::longValue)));
    }

    static Arbitrary<Duration> window() {
        return Arbitraries.frequencyOf(
                        Tuple.of(5, logUniform(1000, Duration.ofDays(30).toMillis() * 1000)),
                        Tuple.of(
                                4,
                                Arbitraries.of(1000L, 1001L, 1_000_000L, 60_000_000L, 3_600_000_000L, 86_400_000_000L)),
                        Tuple.of(
                                2,
                                Combinators.combine(Arbitraries.of(WIDTHS), Arbitraries.of(-1L, 0L, 1L))
                                        .as(Long::sum)),
                        Tuple.of(1, Arbitraries.of(Duration.ofDays(366).toMillis() * 1000)))
                .map(Numbers::micros);
    }

    /** Numbers whose logarithm is uniformly distributed: as many small as large ones. */
    private static Arbitrary<Long> logUniform(long least, long most) {
        double times = (double) most / least;
        return doubles()
                .between(0, 1)
                .ofScale(6)
                .withDistribution(RandomDistribution.uniform())
                .map(share -> Math.round(least * Math.pow(times, share)));
    }

    static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
