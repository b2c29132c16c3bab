package io.headgate.redis.limits;

import static net.jqwik.api.Arbitraries.integers;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.LeakyBucket.Mode;
import io.headgate.limits.Limit;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import io.headgate.redis.limits.History.ChangingRule;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Generators of random rules with several limits of one kind: equal ones, or ones that differ in some properties or in all. */
public final class ChangingLimits {

    /** Zones with daylight saving time (also changing at midnight, or by half an hour), zones without it, and one that skipped a day. */
    private static final List<String> ZONES = List.of(
            "UTC",
            "Europe/Berlin",
            "America/New_York",
            "Australia/Lord_Howe",
            "America/Havana",
            "Pacific/Apia",
            "America/St_Johns",
            "+05:45");

    private ChangingLimits() {}

    static Arbitrary<ChangingRule> fixedWindows() {
        Arbitrary<FixedWindow> one = Combinators.combine(
                        Numbers.permits(Numbers.MOST_PERMITS),
                        Numbers.window(),
                        Arbitraries.of(FixedWindow.Alignment.values()))
                .as(FixedWindow::new);
        return changing(one, (a, b) -> new FixedWindow(b.permits(), a.window(), b.alignment()));
    }

    static Arbitrary<ChangingRule> slidingWindows() {
        return slidingWindows(Numbers.permits(Numbers.MOST_SLIDING_PERMITS));
    }

    static Arbitrary<ChangingRule> slidingCounters() {
        Arbitrary<SlidingCounter> one = Combinators.combine(Numbers.permits(Numbers.MOST_PERMITS), Numbers.window())
                .as(SlidingCounter::new);
        Arbitrary<ChangingRule> sameWindow = changing(one, (a, b) -> new SlidingCounter(b.permits(), a.window()));
        Arbitrary<ChangingRule> samePermits = changing(one, (a, b) -> new SlidingCounter(a.permits(), b.window()));
        return Arbitraries.oneOf(sameWindow, samePermits);
    }

    /** Limits that a few hundred requests exhaust. */
    static Arbitrary<ChangingRule> smallSlidingWindows() {
        return slidingWindows(integers().between(15, 300).map(Integer::longValue));
    }

    static Arbitrary<ChangingRule> tokenBuckets() {
        Arbitrary<ChangingRule> usual = changing(
                tokenBucket(),
                (a, b) -> new TokenBucket(Math.min(a.capacity(), b.capacity()), a.refillPermits(), a.refillPeriod()));
        return Arbitraries.frequencyOf(Tuple.of(3, usual), Tuple.of(2, overflowing()));
    }

    /** Leaky buckets with the numbers of token buckets; some change between meter and shaper. */
    static Arbitrary<ChangingRule> leakyBuckets() {
        return Combinators.combine(tokenBuckets(), Arbitraries.of(Mode.values()), Arbitraries.of(Mode.values()))
                .as((rule, first, second) ->
                        ChangingRule.global(IntStream.range(0, 2 * rule.limits().size())
                                .mapToObj(i -> leaky(rule.limit(i), i % 2 == 0 ? first : second))
                                .toArray(Limit[]::new)));
    }

    private static LeakyBucket leaky(Limit limit, Mode mode) {
        TokenBucket bucket = (TokenBucket) limit;
        return new LeakyBucket(bucket.capacity(), bucket.refillPermits(), bucket.refillPeriod(), mode);
    }

    static Arbitrary<ChangingRule> calendarWindows() {
        Arbitrary<CalendarWindow> one = Combinators.combine(
                        Numbers.permits(Numbers.MOST_PERMITS),
                        Arbitraries.of(CalendarWindow.Unit.values()),
                        Arbitraries.of(ZONES).map(ZoneId::of))
                .as(CalendarWindow::new);
        return changing(one, (a, b) -> new CalendarWindow(b.permits(), a.unit(), b.zone()));
    }

    public static Arbitrary<ChangingRule> ofAnyKind() {
        Arbitrary<ChangingRule> limits = Arbitraries.oneOf(
                fixedWindows(),
                calendarWindows(),
                slidingWindows(),
                slidingWindows(Numbers.smallPermits()),
                slidingCounters(),
                tokenBuckets(),
                leakyBuckets());
        return Combinators.combine(limits, Histories.dimensions(), sometimes(), sometimes())
                .as(ChangingRule::with);
    }

    /** Rules that count attempts: denied requests are charged, too. */
    public static Arbitrary<ChangingRule> countingAttempts(Arbitrary<ChangingRule> rules) {
        return rules.map(rule -> rule.with(rule.dimensions(), true, false));
    }

    private static Arbitrary<Boolean> sometimes() {
        return Arbitraries.frequency(Tuple.of(3, false), Tuple.of(1, true));
    }

    private static Arbitrary<ChangingRule> slidingWindows(Arbitrary<Long> permits) {
        Arbitrary<SlidingWindow> one =
                Combinators.combine(permits, Numbers.window()).as(SlidingWindow::new);
        Arbitrary<ChangingRule> sameWindow = changing(one, (a, b) -> new SlidingWindow(b.permits(), a.window()));
        Arbitrary<ChangingRule> samePermits = changing(one, (a, b) -> new SlidingWindow(a.permits(), b.window()));
        Arbitrary<ChangingRule> near = Combinators.combine(
                        one, integers().between(1, 4), integers().between(1, 4))
                .as(ChangingLimits::near);
        return Arbitraries.oneOf(sameWindow, samePermits, near, near);
    }

    /** Limits that differ by fewer permits, a shorter window, or both. */
    private static ChangingRule near(SlidingWindow limit, int fewer, int shorter) {
        Duration part = limit.window().dividedBy(shorter).truncatedTo(ChronoUnit.MICROS);
        Duration window = part.toMillis() < 1 ? limit.window() : part;
        long permits = limit.permits() / fewer;
        return ChangingRule.global(
                new SlidingWindow(permits, limit.window()),
                new SlidingWindow(permits, window),
                new SlidingWindow(limit.permits(), window),
                limit);
    }

    /** Token buckets whose refill can be computed exactly. */
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

    /**
     * Two buckets. The first has at least the largest capacity that is valid with the rate of the second, so its missing permits may be too
     * many for the second.
     */
    private static Arbitrary<ChangingRule> overflowing() {
        return Combinators.combine(tokenBucket(), integers().between(0, 3), Arbitraries.of(1L, 3L))
                .as((slow, more, rate) -> {
                    long capacity = Math.min(largestCapacity(slow) + more, Numbers.MOST_PERMITS);
                    return ChangingRule.global(new TokenBucket(capacity, rate, Numbers.micros(1000)), slow);
                });
    }

    /** The largest capacity that is valid with this rate. */
    private static long largestCapacity(TokenBucket rate) {
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

    /** Mixes two limits: takes some properties from the first, and the others from the second. */
    private interface Mix<L extends Limit> {
        L of(L first, L second);
    }

    /** Rules with one limit, with two that share some properties, or with three of which the first two may share none. */
    private static <L extends Limit> Arbitrary<ChangingRule> changing(Arbitrary<L> one, Mix<L> mix) {
        Arbitrary<ChangingRule> same = one.map(ChangingRule::global);
        Arbitrary<ChangingRule> mixed =
                Combinators.combine(one, one).as((a, b) -> ChangingRule.global(a, mix.of(a, b)));
        Arbitrary<ChangingRule> apart =
                Combinators.combine(one, one).as((a, b) -> ChangingRule.global(a, b, mix.of(b, a)));
        return Arbitraries.frequencyOf(Tuple.of(1, same), Tuple.of(2, mixed), Tuple.of(1, apart));
    }
}
