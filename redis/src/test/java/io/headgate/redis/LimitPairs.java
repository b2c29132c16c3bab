package io.headgate.redis;

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
import net.jqwik.api.Tuple;

/** Random limits, two of a kind: equal, or apart in one part, or in all. */
final class LimitPairs {

    private static final List<String> GLOBAL = List.of();

    private LimitPairs() {}

    static Arbitrary<TwoLimits> fixedWindows() {
        Arbitrary<FixedWindow> one = Combinators.combine(
                        Numbers.permits(Numbers.MOST_PERMITS),
                        Numbers.window(),
                        Arbitraries.of(FixedWindow.Alignment.values()))
                .as(FixedWindow::new);
        return pairs(one, (a, b) -> new FixedWindow(b.permits(), a.window(), b.alignment()));
    }

    static Arbitrary<TwoLimits> slidingWindows() {
        return slidingWindows(Numbers.permits(Numbers.MOST_SLIDING_PERMITS));
    }

    /** Limits that some hundred requests fill. */
    static Arbitrary<TwoLimits> smallSlidingWindows() {
        return slidingWindows(integers().between(15, 300).map(Integer::longValue));
    }

    static Arbitrary<TwoLimits> tokenBuckets() {
        Arbitrary<TwoLimits> usual = pairs(
                tokenBucket(),
                (a, b) -> new TokenBucket(Math.min(a.capacity(), b.capacity()), a.refillPermits(), a.refillPeriod()));
        return Arbitraries.frequencyOf(Tuple.of(4, usual), Tuple.of(1, overflowing()));
    }

    static Arbitrary<TwoLimits> ofAnyKind() {
        Arbitrary<TwoLimits> limits = Arbitraries.oneOf(
                fixedWindows(), slidingWindows(), slidingWindows(Numbers.smallPermits()), tokenBuckets());
        return Combinators.combine(limits, Histories.dimensions())
                .as((pair, dimensions) -> new TwoLimits(pair.first(), pair.second(), dimensions));
    }

    private static Arbitrary<TwoLimits> slidingWindows(Arbitrary<Long> permits) {
        Arbitrary<SlidingWindow> one =
                Combinators.combine(permits, Numbers.window()).as(SlidingWindow::new);
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
        Arbitrary<TokenBucket> any = Combinators.combine(
                        Numbers.permits(Numbers.MOST_PERMITS), Numbers.permits(Numbers.MOST_PERMITS), Numbers.window())
                .as(TokenBucket::new);
        Arbitrary<TokenBucket> usual = Combinators.combine(
                        Numbers.permits(1000),
                        Arbitraries.of(1L, 7L, 60L, 256L, 1000L, 3_000_000L),
                        Arbitraries.of(1000L, 1_000_000L, 60_000_000L))
                .as((capacity, rate, micros) -> new TokenBucket(capacity, rate, Numbers.micros(micros)));
        return Arbitraries.oneOf(any, usual).ignoreException(IllegalArgumentException.class);
    }

    /** Under the first as many permits can be owed as the second's rate can carry over, and a few more. */
    private static Arbitrary<TwoLimits> overflowing() {
        return Combinators.combine(tokenBucket(), integers().between(0, 3), Arbitraries.of(1L, 3L))
                .as((slow, more, rate) -> {
                    long capacity = Math.min(mostOf(slow) + more, Numbers.MOST_PERMITS);
                    return new TwoLimits(new TokenBucket(capacity, rate, Numbers.micros(1000)), slow, GLOBAL);
                });
    }

    /** The largest capacity that is accepted with this rate. */
    private static long mostOf(TokenBucket rate) {
        long accepted = 0;
        long refused = Numbers.MOST_PERMITS + 1;
        while (refused - accepted > 1) {
            long middle = (accepted + refused) / 2;
            try {
                accepted = new TokenBucket(middle, rate.refillPermits(), rate.refillPeriod()).capacity();
            } catch (IllegalArgumentException tooLarge) {
                refused = middle;
            }
        }
        return accepted;
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
}
