package io.headgate.redis;

import static net.jqwik.api.Arbitraries.doubles;
import static net.jqwik.api.Arbitraries.integers;

import io.headgate.limits.FixedWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import io.headgate.redis.History.TwoLimits;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/** Random limits, two of a kind: equal, or apart in one part, or in all. */
final class LimitPairs {

    private static final List<String> GLOBAL = List.of();

    /** The windows in microseconds at which entries of the exact window become wider on Redis. */
    private static final List<Long> WIDTHS = List.of(1L << 27, 1L << 35, 1L << 43);

    private LimitPairs() {}

    static Arbitrary<TwoLimits> fixedWindows() {
        Arbitrary<FixedWindow> one = Combinators.combine(
                        permits(1_000_000_000), window(), Arbitraries.of(FixedWindow.Alignment.values()))
                .as(FixedWindow::new);
        return pairs(one, (a, b) -> new FixedWindow(b.permits(), a.window(), b.alignment()));
    }

    static Arbitrary<TwoLimits> slidingWindows() {
        return slidingWindows(permits(1_000_000));
    }

    /** Limits that some hundred requests fill. */
    static Arbitrary<TwoLimits> smallSlidingWindows() {
        return slidingWindows(integers().between(15, 300).map(Integer::longValue));
    }

    static Arbitrary<TwoLimits> tokenBuckets() {
        return pairs(
                tokenBucket(),
                (a, b) -> new TokenBucket(Math.min(a.capacity(), b.capacity()), a.refillPermits(), a.refillPeriod()));
    }

    static Arbitrary<TwoLimits> ofAnyKind() {
        Arbitrary<TwoLimits> limits =
                Arbitraries.oneOf(fixedWindows(), slidingWindows(), slidingWindows(smallPermits()), tokenBuckets());
        return Combinators.combine(limits, Histories.dimensions())
                .as((pair, dimensions) -> new TwoLimits(pair.first(), pair.second(), dimensions));
    }

    private static Arbitrary<TwoLimits> slidingWindows(Arbitrary<Long> permits) {
        Arbitrary<SlidingWindow> one = Combinators.combine(permits, window()).as(SlidingWindow::new);
        Arbitrary<TwoLimits> sameWindow = pairs(one, (a, b) -> new SlidingWindow(b.permits(), a.window()));
        Arbitrary<TwoLimits> samePermits = pairs(one, (a, b) -> new SlidingWindow(a.permits(), b.window()));
        Arbitrary<TwoLimits> near = Combinators.combine(
                        one, integers().between(1, 4), integers().between(1, 4))
                .as((a, shrunk, shortened) -> new TwoLimits(
                        a, new SlidingWindow(a.permits() / shrunk, shortened(a.window(), shortened)), GLOBAL));
        return Arbitraries.oneOf(sameWindow, samePermits, near.map(LimitPairs::swapped), near);
    }

    private static Duration shortened(Duration window, int by) {
        Duration part = window.dividedBy(by).truncatedTo(ChronoUnit.MICROS);
        return part.toMillis() < 1 ? window : part;
    }

    private static TwoLimits swapped(TwoLimits pair) {
        return new TwoLimits(pair.second(), pair.first(), pair.dimensions());
    }

    /** Those that can be computed exactly. */
    private static Arbitrary<TokenBucket> tokenBucket() {
        Arbitrary<TokenBucket> any = Combinators.combine(permits(1_000_000_000), permits(1_000_000_000), window())
                .as(TokenBucket::new);
        Arbitrary<TokenBucket> usual = Combinators.combine(
                        permits(1000),
                        Arbitraries.of(1L, 7L, 60L, 256L, 1000L, 3_000_000L),
                        Arbitraries.of(1000L, 1_000_000L, 60_000_000L))
                .as((capacity, rate, micros) -> new TokenBucket(capacity, rate, micros(micros)));
        return Arbitraries.oneOf(any, usual).ignoreException(IllegalArgumentException.class);
    }

    private interface Mix<L extends Limit> {
        L of(L first, L second);
    }

    private static <L extends Limit> Arbitrary<TwoLimits> pairs(Arbitrary<L> one, Mix<L> mix) {
        Arbitrary<TwoLimits> same = one.map(limit -> new TwoLimits(limit, limit, GLOBAL));
        Arbitrary<TwoLimits> mixed = Combinators.combine(one, one).as((a, b) -> new TwoLimits(a, mix.of(a, b), GLOBAL));
        Arbitrary<TwoLimits> apart = Combinators.combine(one, one).as((a, b) -> new TwoLimits(a, b, GLOBAL));
        return Arbitraries.frequencyOf(Tuple.of(1, same), Tuple.of(2, mixed), Tuple.of(1, apart));
    }

    private static Arbitrary<Long> permits(long most) {
        return Arbitraries.frequencyOf(
                Tuple.of(3, smallPermits()),
                Tuple.of(3, upTo(1, most)),
                Tuple.of(1, Arbitraries.of(15L, 16L, 17L, 31L, 32L, 33L, 1000L, most)));
    }

    private static Arbitrary<Long> smallPermits() {
        return Arbitraries.frequencyOf(
                Tuple.of(1, integers().between(0, 1).map(Integer::longValue)),
                Tuple.of(9, integers().between(1, 20).map(Integer::longValue)));
    }

    private static Arbitrary<Duration> window() {
        return Arbitraries.frequencyOf(
                        Tuple.of(5, upTo(1000, Duration.ofDays(30).toMillis() * 1000)),
                        Tuple.of(
                                4,
                                Arbitraries.of(1000L, 1001L, 1_000_000L, 60_000_000L, 3_600_000_000L, 86_400_000_000L)),
                        Tuple.of(
                                2,
                                Combinators.combine(Arbitraries.of(WIDTHS), Arbitraries.of(-1L, 0L, 1L))
                                        .as(Long::sum)),
                        Tuple.of(1, Arbitraries.of(Duration.ofDays(366).toMillis() * 1000)))
                .map(LimitPairs::micros);
    }

    /** As many small numbers as large ones. */
    private static Arbitrary<Long> upTo(long least, long most) {
        double times = (double) most / least;
        return doubles()
                .between(0, 1)
                .ofScale(6)
                .withDistribution(RandomDistribution.uniform())
                .map(share -> Math.round(least * Math.pow(times, share)));
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }
}
