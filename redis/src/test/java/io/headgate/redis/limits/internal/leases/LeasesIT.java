package io.headgate.redis.limits.internal.leases;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.internal.Micros;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;

/**
 * Several instances lease, spend and return permits, and some are killed. An in-memory engine that counts each admission when it is
 * made, under the same limit, would have admitted every one of them.
 */
class LeasesIT {

    private static final RedisServer REDIS = RedisServer.shared();
    private static final int INSTANCES = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final AtomicLong HISTORIES = new AtomicLong();
    private static final AtomicLong LEASED = new AtomicLong();
    private static final AtomicLong COUNTED = new AtomicLong();

    private static final ManualClock CLOCK = ManualClock.atMicros(1_700_000_000_000_000L);
    private static final LimitEngine REFERENCE_ENGINE =
            InMemoryLimitEngine.builder().time(CLOCK).build();

    /** Killed instances receive no more requests in the same history. */
    private static final List<RedisLimitEngine> ENGINES =
            IntStream.range(0, INSTANCES + 3).mapToObj(i -> engine()).toList();

    private enum Kind {
        ACQUIRE,
        ACQUIRE_OFTEN,
        ADVANCE,
        SWEEP,
        REFUND,
        KILL,
        RETURN_LEASES
    }

    private record Step(Kind kind, int instance, int id, int amount) {}

    /** The policy of a history, without and with leases. */
    private record TestedPolicy(Policy exact, Policy leased) {}

    private static RedisLimitEngine engine() {
        return Engines.builder(Engines.settings(REDIS.url()).withKeyPrefix("leases"))
                .time(CLOCK)
                .build();
    }

    @AfterContainer
    static void most_admissions_were_leased() {
        ENGINES.forEach(RedisLimitEngine::close);
        System.out.printf("%d admitted by leases, %d by counting%n", LEASED.get(), COUNTED.get());
        assertThat(LEASED.get()).isGreaterThan(COUNTED.get());
    }

    @Property(edgeCases = EdgeCasesMode.NONE, tries = 300)
    void no_sliding_window_admits_too_many(
            @ForAll("slidingWindows") Limit limit, @ForAll("leases") int lease, @ForAll("steps") List<Step> steps) {
        replay(tested(limit, lease), steps);
    }

    @Property(edgeCases = EdgeCasesMode.NONE, tries = 300)
    void no_bucket_overflows(
            @ForAll("buckets") Limit limit, @ForAll("leases") int lease, @ForAll("steps") List<Step> steps) {
        replay(tested(limit, lease), steps);
    }

    @Property(edgeCases = EdgeCasesMode.NONE, tries = 200)
    void no_fixed_or_calendar_window_admits_too_many(
            @ForAll("windows") Limit limit, @ForAll("leases") int lease, @ForAll("steps") List<Step> steps) {
        replay(tested(limit, lease), steps);
    }

    @Property(edgeCases = EdgeCasesMode.NONE, tries = 200)
    void no_rule_of_several_admits_too_many(
            @ForAll("slidingWindows") Limit everybody,
            @ForAll("buckets") Limit each,
            @ForAll("leases") int lease,
            @ForAll("steps") List<Step> steps) {
        String name = "leases" + HISTORIES.incrementAndGet();
        Policy.Builder both = Policy.named(name).rule("everybody", everybody).rule("each", each, Attributes.USER);
        replay(new TestedPolicy(both.build(), leased(both, lease)), steps);
    }

    @Property(edgeCases = EdgeCasesMode.NONE, tries = 200)
    void a_leased_sliding_counter_stays_within_its_bounds(
            @ForAll("slidingCounters") SlidingCounter limit,
            @ForAll("leases") int lease,
            @ForAll("steps") List<Step> steps) {
        TestedPolicy tested = tested(limit, lease);
        CounterJudge judge =
                new CounterJudge(limit, Micros.of(tested.leased().lease().orElseThrow()), CLOCK::nowMicros);
        replay(tested, judge, steps);
    }

    private static TestedPolicy tested(Limit limit, int lease) {
        String name = "leases" + HISTORIES.incrementAndGet();
        Policy.Builder one = Policy.named(name).rule("limit", limit, Attributes.USER);
        return new TestedPolicy(one.build(), leased(one, lease));
    }

    /** The policy with leases of the default duration, doubled the given number of times if the limit permits that. */
    private static Policy leased(Policy.Builder policy, int doublings) {
        Duration usual = policy.leased().build().lease().orElseThrow();
        try {
            return policy.leased(usual.multipliedBy(1L << doublings)).build();
        } catch (IllegalArgumentException e) {
            return policy.leased(usual).build();
        }
    }

    /** Checks an admission, and returns how to refund it, if it can be refunded. */
    private interface Judge {

        Optional<Consumer<Limiter>> admitted(Attributes user, long permits, Decision decision);
    }

    private static void replay(TestedPolicy tested, List<Step> steps) {
        replay(tested, exactJudge(REFERENCE_ENGINE.limiter(tested.exact())), steps);
    }

    private static void replay(TestedPolicy tested, Judge judge, List<Step> steps) {
        List<RedisLimitEngine> spare = new ArrayList<>(ENGINES);
        List<RedisLimitEngine> engines = new ArrayList<>();
        for (int i = 0; i < INSTANCES; i++) {
            engines.add(spare.remove(0));
        }
        long leaseMicros = tested.leased().lease().orElseThrow().toNanos() / 1000;
        List<Consumer<Limiter>> refunds = new ArrayList<>();
        for (Step step : steps) {
            RedisLimitEngine engine = engines.get(step.instance());
            Limiter limiter = engine.limiter(tested.leased());
            Attributes user = Attributes.of(Attributes.USER, "user-" + step.id());
            switch (step.kind()) {
                case ACQUIRE -> acquire(limiter, judge, user, 1 + step.amount() % 3, refunds);
                case ACQUIRE_OFTEN -> {
                    for (int i = 0; i < 10 * step.amount(); i++) {
                        acquire(limiter, judge, user, 1, refunds);
                    }
                }
                // By up to 1.2 leases, more often by less.
                case ADVANCE -> CLOCK.advance(Micros.toDuration(leaseMicros * step.amount() * step.amount() / 100));
                case SWEEP -> engine.sweepLeases();
                case REFUND -> {
                    if (!refunds.isEmpty()) {
                        refunds.remove(refunds.size() - 1).accept(limiter);
                    }
                }
                case KILL -> {
                    if (!spare.isEmpty()) {
                        engines.set(step.instance(), spare.remove(0));
                    }
                }
                // A policy without leases returns the leased permits.
                case RETURN_LEASES -> limiter.update(tested.exact());
            }
            Await.until("all is answered", PATIENCE, () -> engines.stream().allMatch(it -> it.callsInFlight() == 0));
        }
    }

    private static void acquire(
            Limiter limiter, Judge judge, Attributes user, long permits, List<Consumer<Limiter>> refunds) {
        Decision decision = limiter.tryAcquire(PermitRequest.of(user).withPermits(permits));
        if (decision.allowed()) {
            (decision.basis() == Decision.Basis.LEASED ? LEASED : COUNTED).incrementAndGet();
            assertThat(decision.charged()).isEqualTo(permits);
            judge.admitted(user, permits, decision).ifPresent(refunds::add);
        }
    }

    private static Judge exactJudge(Limiter judge) {
        return (user, permits, decision) -> {
            Decision judged = judge.tryAcquire(PermitRequest.of(user).withPermits(permits));
            assertThat(judged.allowed())
                    .as(
                            "%s for %d permits of %s, where all that were admitted before leave %s",
                            decision, permits, user, judged)
                    .isTrue();
            assertThat(decision.rules())
                    .extracting(RuleDecision::limit)
                    .isEqualTo(judged.rules().stream().map(RuleDecision::limit).toList());
            return Optional.of(some -> {
                some.refund(user, decision);
                judge.refund(user, judged);
            });
        };
    }

    /**
     * Checks the bounds of a leased sliding counter. Redis counts it in windows of the clock that are longer by the lease, and
     * charges at most the limit in each of them. So at most the limit is spent from one lease after the beginning of such a window
     * until its end. In any window that ends now, less than twice the limit is spent.
     */
    private record CounterJudge(
            SlidingCounter limit,
            long leaseMicros,
            LongSupplier nowMicros,
            Map<Attributes, NavigableMap<Long, Long>> spent)
            implements Judge {

        CounterJudge(SlidingCounter limit, long leaseMicros, LongSupplier nowMicros) {
            this(limit, leaseMicros, nowMicros, new HashMap<>());
        }

        @Override
        public Optional<Consumer<Limiter>> admitted(Attributes user, long permits, Decision decision) {
            NavigableMap<Long, Long> ofUser = spent.computeIfAbsent(user, any -> new TreeMap<>());
            long now = nowMicros.getAsLong();
            ofUser.merge(now, permits, Long::sum);
            long window = Micros.of(limit.window());
            long began = now - now % (window + leaseMicros);
            if (now - began >= leaseMicros) {
                assertThat(sum(ofUser.tailMap(began + leaseMicros, true)))
                        .as("spent of %s since a lease after %d, at %d", limit, began, now)
                        .isLessThanOrEqualTo(limit.permits());
            }
            assertThat(sum(ofUser.tailMap(now - window, false)))
                    .as("spent of %s in the window before %d", limit, now)
                    .isLessThan(2 * limit.permits());
            return Optional.empty();
        }

        private static long sum(Map<Long, Long> permits) {
            return permits.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    @Provide
    Arbitrary<Limit> slidingWindows() {
        return Combinators.combine(
                        Arbitraries.integers().between(20, 400),
                        Arbitraries.integers().between(20, 2000))
                .as((permits, millis) -> Limit.slidingWindow(permits, Duration.ofMillis(millis)));
    }

    @Provide
    Arbitrary<SlidingCounter> slidingCounters() {
        return slidingWindows().map(limit -> Limit.slidingCounter(limit.permits(), ((SlidingWindow) limit).window()));
    }

    @Provide
    Arbitrary<Limit> buckets() {
        return Combinators.combine(
                        Arbitraries.integers().between(20, 400),
                        Arbitraries.integers().between(1, 1000),
                        Arbitraries.of(true, false))
                .<Limit>as((capacity, rate, leaky) -> leaky
                        ? Limit.leakyBucket(capacity, rate, Duration.ofSeconds(1))
                        : Limit.tokenBucket(capacity, rate, Duration.ofSeconds(1)))
                .filter(LeasesIT::canBeLeased);
    }

    private static boolean canBeLeased(Limit limit) {
        try {
            Policy.named("any").rule("any", limit).leased().build();
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Provide
    Arbitrary<Limit> windows() {
        return Combinators.combine(
                        Arbitraries.integers().between(20, 400),
                        Arbitraries.integers().between(20, 2000),
                        Arbitraries.integers().between(0, 2))
                .<Limit>as((permits, millis, kind) -> switch (kind) {
                    case 0 -> Limit.fixedWindow(permits, Duration.ofMillis(millis));
                    case 1 ->
                        Limit.fixedWindow(permits, Duration.ofMillis(millis)).fromFirstRequest();
                    default -> Limit.calendarWindow(permits, CalendarWindow.Unit.DAY, ZoneId.of("Europe/Berlin"));
                });
    }

    @Provide
    Arbitrary<Integer> leases() {
        return Arbitraries.integers().between(0, 3);
    }

    @Provide
    Arbitrary<List<Step>> steps() {
        Arbitrary<Kind> kinds = Arbitraries.frequencyOf(
                Tuple.of(6, Arbitraries.just(Kind.ACQUIRE_OFTEN)),
                Tuple.of(6, Arbitraries.just(Kind.ADVANCE)),
                Tuple.of(3, Arbitraries.of(Kind.ACQUIRE, Kind.SWEEP, Kind.REFUND)),
                Tuple.of(1, Arbitraries.of(Kind.KILL, Kind.RETURN_LEASES)));
        return Combinators.combine(
                        kinds,
                        Arbitraries.integers().between(0, INSTANCES - 1),
                        Arbitraries.integers().between(0, 1),
                        Arbitraries.integers().between(0, 11))
                .as(Step::new)
                .list()
                .ofMinSize(5)
                .ofMaxSize(60);
    }
}
