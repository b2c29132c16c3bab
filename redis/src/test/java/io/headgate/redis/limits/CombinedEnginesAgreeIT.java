package io.headgate.redis.limits;

import static net.jqwik.api.Arbitraries.integers;
import static net.jqwik.api.Arbitraries.just;
import static net.jqwik.api.Arbitraries.longs;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.redis.limits.History.ChangingRule;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.model.LimitModel;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * The in-memory engine, the Redis engine, and a Redis engine that decides each rule by a separate call decide requests to several policies
 * exactly as {@link LimitModel} does. Every field of every decision of a random history is compared. A cached denial has fewer fields,
 * which must agree. Some requests have one policy only. The histories of the first two engines also contain refunds and changed limits.
 */
class CombinedEnginesAgreeIT {

    private static final RedisServer REDIS = RedisServer.shared();
    private static final String PREFIX = "combined";
    private static final String PREFIX_SEPARATE = "combined-apart";
    private static final long START_MICROS = 1_800_000_000_000_000L;
    private static final ManualClock CLOCK = ManualClock.atMicros(0);
    private static final String RUN = UUID.randomUUID().toString().substring(0, 8);
    private static final AtomicLong HISTORIES = new AtomicLong();
    private static final List<LimitEngine> ENGINES = new ArrayList<>();
    private static final List<LimitEngine> SEPARATE_CALLS = new ArrayList<>();

    /** One part of a request: a policy, a person, and the permits in sixteenths of the lowest limit of the policy (0 for one permit). */
    record RequestPart(int policy, int who, int sixteenths) {}

    /** An event in a history, with the time since the previous event. */
    sealed interface Event {

        long plusMicros();

        /** A request to the policies. */
        record Acquire(long plusMicros, List<RequestPart> parts) implements Event {}

        /** A refund of the request that is {@code ago} requests before the last one: of the whole request, or of only one part. */
        record Refund(long plusMicros, int ago, int part, boolean whole) implements Event {}

        /** An update of all policies to the limits of one of their variants, see {@link History}. */
        record Update(long plusMicros, int variant) implements Event {}
    }

    /** A request that was decided, with the decisions of the model. */
    private record Decided(List<LimitModel.Part> parts, List<Decision> expected) {}

    /** A history needs at most 15 scripts of combined requests, for the selections of its policies, and an engine has at most 256. */
    private static final int HISTORIES_PER_ENGINE = 16;

    @BeforeContainer
    static void open_the_engines() {
        ENGINES.add(InMemoryLimitEngine.builder().time(CLOCK).build());
        ENGINES.add(Engines.builder(Engines.settings(REDIS.url()).withKeyPrefix(PREFIX))
                .time(CLOCK)
                .build());
        SEPARATE_CALLS.add(Engines.builder(Engines.settings(REDIS.url()).withKeyPrefix(PREFIX_SEPARATE))
                .time(CLOCK)
                .oneSlotACall()
                .build());
    }

    @AfterContainer
    static void close_the_engines() {
        ENGINES.forEach(LimitEngine::close);
        ENGINES.clear();
        SEPARATE_CALLS.forEach(LimitEngine::close);
        SEPARATE_CALLS.clear();
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_policies_of_any_kind(@ForAll("policies") List<History> policies, @ForAll("events") List<Event> events) {
        agree(ENGINES, policies, events, PREFIX);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_policies_that_count_attempts(
            @ForAll("countingAttempts") List<History> policies, @ForAll("events") List<Event> events) {
        agree(ENGINES, policies, events, PREFIX);
    }

    /** Without refunds and changed limits: with separate calls, a refunded reservation makes their results differ from the model. */
    @Property(edgeCases = EdgeCasesMode.NONE)
    void on_rules_that_are_decided_by_separate_calls(
            @ForAll("countingAttempts") List<History> policies, @ForAll("events") List<Event> events) {
        List<Event> requests =
                events.stream().filter(event -> event instanceof Event.Acquire).toList();
        agree(SEPARATE_CALLS, policies, requests, PREFIX_SEPARATE);
    }

    @Provide
    Arbitrary<List<History>> policies() {
        return policies(ChangingLimits.ofAnyKind());
    }

    @Provide
    Arbitrary<List<History>> countingAttempts() {
        return policies(Arbitraries.oneOf(
                ChangingLimits.ofAnyKind(), ChangingLimits.countingAttempts(ChangingLimits.ofAnyKind())));
    }

    /** One to four policies of one to three rules. */
    private static Arbitrary<List<History>> policies(Arbitrary<ChangingRule> rule) {
        return rule.list()
                .ofMinSize(1)
                .ofMaxSize(3)
                .map(rules -> new History(rules, START_MICROS, List.of()))
                .list()
                .ofMinSize(1)
                .ofMaxSize(4);
    }

    @Provide
    Arbitrary<List<Event>> events() {
        Arbitrary<Integer> who = Arbitraries.frequencyOf(
                Tuple.of(4, just(0)), Tuple.of(1, integers().between(0, History.PEOPLE - 1)));
        Arbitrary<Integer> amount = Arbitraries.frequencyOf(
                Tuple.of(6, just(0)), Tuple.of(4, integers().between(1, 17)));
        Arbitrary<RequestPart> requested =
                Combinators.combine(integers().between(0, 3), who, amount).as(RequestPart::new);
        // Each at its own time, as a refund cannot distinguish charges of one microsecond.
        Arbitrary<Long> plus = Arbitraries.frequencyOf(
                Tuple.of(6, longs().between(1, 1000)),
                Tuple.of(3, longs().between(1, 60_000_000)),
                Tuple.of(1, longs().between(1, 40L * 24 * 3600 * 1_000_000)));
        Arbitrary<Event> acquire = Combinators.combine(
                        plus, requested.list().ofMinSize(1).ofMaxSize(5))
                .as(Event.Acquire::new);
        Arbitrary<Event> refund = Combinators.combine(
                        plus, integers().between(0, 8), integers().between(0, 4), Arbitraries.of(true, false))
                .as(Event.Refund::new);
        Arbitrary<Event> update = Combinators.combine(plus, integers().between(0, History.VARIANTS - 1))
                .as(Event.Update::new);
        return Arbitraries.frequencyOf(Tuple.of(12, acquire), Tuple.of(3, refund), Tuple.of(1, update))
                .list()
                .ofMinSize(1)
                .ofMaxSize(40);
    }

    /** One history at a time, since they share a clock. */
    private static synchronized void agree(
            List<LimitEngine> engines, List<History> policies, List<Event> events, String prefix) {
        long history = HISTORIES.incrementAndGet();
        if (history % HISTORIES_PER_ENGINE == 0) {
            close_the_engines();
            open_the_engines();
        }
        String name = "p-" + RUN + "-" + history;
        for (LimitEngine engine : engines) {
            new Play(engine, policies, name).play(events);
        }
        Leftovers.in(REDIS.url(), prefix + ":*:" + name + "*").requireNone();
    }

    /** Replays a history on one engine and on a model of its own, and compares them. */
    private static final class Play {

        private final LimitEngine engine;
        private final List<History> histories;
        private final String name;
        private final List<Limiter> limiters = new ArrayList<>();
        private final LimitModel model = new LimitModel();
        private final List<Decided> decided = new ArrayList<>();
        private final List<String> story = new ArrayList<>();
        private long nowMicros = START_MICROS;

        Play(LimitEngine engine, List<History> histories, String name) {
            this.engine = engine;
            this.histories = histories;
            this.name = name;
            for (int i = 0; i < histories.size(); i++) {
                limiters.add(engine.limiter(policy(i, 0)));
            }
        }

        private Policy policy(int index, int variant) {
            return histories.get(index).policy(name + "-" + index, variant);
        }

        void play(List<Event> events) {
            for (Event event : events) {
                nowMicros += event.plusMicros();
                CLOCK.setMicros(nowMicros);
                if (event instanceof Event.Acquire acquire) {
                    acquire(acquire);
                } else if (event instanceof Event.Refund refund) {
                    refund(refund);
                } else if (event instanceof Event.Update update) {
                    for (int i = 0; i < limiters.size(); i++) {
                        limiters.get(i).update(policy(i, update.variant()));
                    }
                }
            }
        }

        private void acquire(Event.Acquire event) {
            List<CombinedRequest.Part> parts = new ArrayList<>();
            List<LimitModel.Part> ofModel = new ArrayList<>();
            boolean[] used = new boolean[limiters.size()];
            for (RequestPart requested : event.parts()) {
                int index = requested.policy() % limiters.size();
                if (!used[index]) {
                    used[index] = true;
                    Limiter limiter = limiters.get(index);
                    Attributes attributes = History.attributes(requested.who());
                    long permits = permits(requested, limiter.policy());
                    parts.add(new CombinedRequest.Part(
                            limiter, PermitRequest.of(attributes).withPermits(permits)));
                    ofModel.add(new LimitModel.Part(limiter.policy(), attributes, permits));
                }
            }
            List<Decision> expected = model.tryAcquire(ofModel, nowMicros);
            CombinedDecision answer = engine.tryAcquireAsync(new CombinedRequest(parts))
                    .toCompletableFuture()
                    .join();
            story.add("at " + nowMicros + " " + ofModel + " -> " + expected);
            assertAgrees(answer, expected, ofModel);
            decided.add(new Decided(ofModel, expected));
        }

        private static long permits(RequestPart requested, Policy policy) {
            long limit = policy.rules().stream()
                    .mapToLong(rule -> rule.limit().permits())
                    .min()
                    .orElseThrow();
            return requested.sixteenths() == 0 ? 1 : Math.max(1, limit * requested.sixteenths() / 16);
        }

        private void assertAgrees(CombinedDecision answer, List<Decision> expected, List<LimitModel.Part> parts) {
            CombinedDecision whole = new CombinedDecision(expected);
            boolean cached =
                    answer.decisions().stream().anyMatch(decision -> decision.basis() == Decision.Basis.CACHED_DENIAL);
            assertThat(answer.allowed()).as(this::story).isEqualTo(whole.allowed());
            if (!cached) {
                assertThat(answer.decisions()).as(this::story).isEqualTo(expected);
                assertThat(answer).as(this::story).isEqualTo(whole);
            }
            for (int i = 0; i < expected.size(); i++) {
                Decision decision = answer.decisions().get(i);
                assertThat(decision.charged())
                        .as(this::story)
                        .isEqualTo(whole.allowed() ? parts.get(i).permits() : 0);
                if (decision.basis() == Decision.Basis.CACHED_DENIAL) {
                    CachedDenial.agreeing(
                            decision, expected.get(i), parts.get(i).permits());
                } else {
                    assertThat(decision.basis())
                            .as(this::story)
                            .isEqualTo(cached ? Decision.Basis.SKIPPED : Decision.Basis.COUNTED);
                }
            }
        }

        private void refund(Event.Refund event) {
            if (decided.isEmpty()) {
                return;
            }
            Decided request = decided.get(Math.max(0, decided.size() - 1 - event.ago()));
            long most = 0;
            List<CombinedRequest.Part> parts = new ArrayList<>();
            for (int i = 0; i < request.parts().size(); i++) {
                LimitModel.Part part = request.parts().get(i);
                Limiter limiter = limiter(part);
                Decision decision = request.expected().get(i);
                parts.add(new CombinedRequest.Part(
                        limiter, PermitRequest.of(part.attributes()).withPermits(part.permits())));
                if (event.whole() || event.part() == i) {
                    long back = model.refund(limiter.policy(), part.attributes(), decision, nowMicros);
                    most = Math.max(most, back);
                    story.add("at " + nowMicros + " refund of " + part + " " + decision + " -> " + back);
                    if (!event.whole()) {
                        assertThat(limiter.refund(part.attributes(), decision))
                                .as(this::story)
                                .isEqualTo(back);
                    }
                }
            }
            if (event.whole()) {
                assertThat(engine.refund(new CombinedRequest(parts), new CombinedDecision(request.expected())))
                        .as(this::story)
                        .isEqualTo(most);
            }
        }

        private Limiter limiter(LimitModel.Part part) {
            return limiters.stream()
                    .filter(one -> one.policy().name().equals(part.policy().name()))
                    .findFirst()
                    .orElseThrow();
        }

        private String story() {
            return engine.getClass().getSimpleName() + ":\n" + String.join("\n", story);
        }
    }
}
