package io.headgate.redis.limits;

import static net.jqwik.api.Arbitraries.integers;
import static net.jqwik.api.Arbitraries.just;
import static net.jqwik.api.Arbitraries.longs;

import io.headgate.limits.Attributes;
import io.headgate.redis.limits.History.ChangingRule;
import io.headgate.redis.limits.Step.Amount;
import io.headgate.redis.limits.Step.Span;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/** Generators of random histories, mostly near the values at which a decision changes. */
public final class Histories {

    private static final long START_MICROS =
            Instant.parse("2026-11-21T00:00:00Z").getEpochSecond() * 1_000_000;
    private static final long DAY_MICROS = Duration.ofDays(1).toMillis() * 1000;
    private static final int MOST_STEPS = 60;

    private Histories() {}

    /** Histories of one rule, with one request in each step. */
    static Arbitrary<History> ofOneRule(Arbitrary<ChangingRule> rule) {
        return histories(rule.list().ofSize(1), steps(just(1), just(Span.micros(0))));
    }

    /** Histories of one rule, with runs of up to 200 requests. */
    static Arbitrary<History> ofLongRuns(Arbitrary<ChangingRule> rule) {
        Arbitrary<Integer> times = Arbitraries.frequencyOf(
                Tuple.of(2, just(1)),
                Tuple.of(2, integers().between(2, 40)),
                Tuple.of(1, integers().between(40, 200)));
        return histories(rule.list().ofSize(1), steps(times, gaps()));
    }

    /** Histories of one to four rules, each with its own dimensions. */
    public static Arbitrary<History> ofPolicies(Arbitrary<ChangingRule> rule) {
        return histories(rule.list().ofMinSize(1).ofMaxSize(4), steps(just(1), just(Span.micros(0))));
    }

    static Arbitrary<List<String>> dimensions() {
        return Arbitraries.of(
                List.of(), List.of(Attributes.USER), List.of(Attributes.IP), List.of(Attributes.USER, Attributes.IP));
    }

    private static Arbitrary<History> histories(Arbitrary<List<ChangingRule>> rules, Arbitrary<Step> step) {
        Arbitrary<Long> start = longs().between(0, 1000 * DAY_MICROS).map(later -> START_MICROS + later);
        // All lengths are equally likely: the beginning of a long history finds what a short one finds.
        Arbitrary<List<Step>> steps =
                step.list().ofMinSize(1).ofMaxSize(MOST_STEPS).withSizeDistribution(RandomDistribution.uniform());
        return Combinators.combine(rules, start, steps).as(History::new);
    }

    private static Arbitrary<Step> steps(Arbitrary<Integer> times, Arbitrary<Span> gap) {
        Arbitrary<Step> acquire =
                Combinators.combine(variant(), who(), amount(), times, gap).as(Step.Acquire::new);
        Arbitrary<Step> peek = Combinators.combine(variant(), who(), amount()).as(Step.Peek::new);
        Arbitrary<Step> reset = Combinators.combine(rule(), who()).as(Step.Reset::new);
        Arbitrary<Step> pass = span().map(Step.Pass::new);
        Arbitrary<Step> toRetry =
                Combinators.combine(rule(), Arbitraries.of(0, -1, 1)).as(Step.ToRetry::new);
        Arbitrary<Step> toReset =
                Combinators.combine(rule(), Arbitraries.of(0, -1, 1)).as(Step.ToReset::new);
        Arbitrary<Step> refund =
                Combinators.combine(variant(), integers().between(0, 30)).as(Step.Refund::new);
        Arbitrary<Step> refundAgain =
                Combinators.combine(variant(), integers().between(0, 5)).as(Step.RefundAgain::new);
        Arbitrary<Step> refundOldest =
                Combinators.combine(variant(), who(), amount()).as(Step.RefundOldest::new);
        Arbitrary<Step> once = Combinators.combine(
                        variant(), who(), amount(), integers().between(0, History.REQUEST_IDS - 1))
                .as(Step.AcquireWithId::new);
        return Arbitraries.frequencyOf(
                Tuple.of(20, acquire),
                Tuple.of(8, once),
                Tuple.of(4, refund),
                Tuple.of(3, refundAgain),
                Tuple.of(1, refundOldest),
                Tuple.of(5, peek),
                Tuple.of(10, pass),
                Tuple.of(6, toRetry),
                Tuple.of(3, toReset),
                Tuple.of(1, reset));
    }

    private static Arbitrary<Integer> variant() {
        return Arbitraries.frequencyOf(
                Tuple.of(1, just(0)), Tuple.of(1, integers().between(0, History.VARIANTS - 1)));
    }

    private static Arbitrary<Integer> who() {
        return Arbitraries.frequencyOf(
                Tuple.of(5, just(0)), Tuple.of(1, integers().between(0, History.PEOPLE - 1)));
    }

    private static Arbitrary<Integer> rule() {
        return integers().between(0, 3);
    }

    private static Arbitrary<Amount> amount() {
        return Arbitraries.frequencyOf(
                Tuple.of(8, just(new Amount.Exactly(1))),
                Tuple.of(4, longs().between(1, 40).map(Amount.Exactly::new)),
                Tuple.of(4, integers().between(1, 16).map(Amount.PartOfLimit::new)),
                Tuple.of(3, integers().between(-1, 1).map(Amount.Left::new)),
                Tuple.of(2, integers().between(-1, 1).map(Amount.Limit::new)),
                // More permits than a sliding window may have, and more than a number in Lua represents exactly.
                Tuple.of(1, Arbitraries.of(Long.MAX_VALUE, 1L << 53, 1_000_001L).map(Amount.Exactly::new)));
    }

    private static Arbitrary<Span> span() {
        return Arbitraries.frequencyOf(
                Tuple.of(4, Arbitraries.of(0L, 1L, 2L, 1000L).map(Span::micros)),
                Tuple.of(6, parts(0, 8, 8)),
                Tuple.of(3, parts(0, 64, 64)),
                Tuple.of(2, parts(0, 4, 1)),
                Tuple.of(1, longs().between(0, 10_000).flatMap(parts -> parts(parts, parts, 10_000))),
                Tuple.of(1, longs().between(1, 365 * DAY_MICROS).map(Span::micros)),
                Tuple.of(1, longs().between(-DAY_MICROS / 6, -1).map(Span::micros)),
                Tuple.of(1, parts(-16, -1, 8)));
    }

    /** Pauses between the requests of a run: shorter than the window, so that many of them fall in it. */
    private static Arbitrary<Span> gaps() {
        return Arbitraries.frequencyOf(
                Tuple.of(2, Arbitraries.of(0L, 1L).map(Span::micros)),
                Tuple.of(2, parts(1, 4, 64)),
                Tuple.of(3, parts(1, 40, 1000)),
                Tuple.of(1, parts(1, 1, 16)));
    }

    /** Spans of {@code from} to {@code to} parts of a rule's window, which has {@code ofParts} parts, often a microsecond more or less. */
    private static Arbitrary<Span> parts(long from, long to, long ofParts) {
        return Combinators.combine(rule(), variant(), longs().between(from, to), longs().between(-1, 1))
                .as((rule, variant, parts, plus) -> new Span(rule, variant, parts, ofParts, parts == 0 ? 0 : plus));
    }
}
