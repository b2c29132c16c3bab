package io.headgate.redis.limits.internal.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.inflight.HoldId;
import io.headgate.limits.internal.inflight.HoldStore;
import io.headgate.limits.internal.inflight.MemoryHolds;
import io.headgate.limits.internal.inflight.PlacedHold;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import io.headgate.testkit.model.HoldModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;

/**
 * Holds in memory and holds in Redis do what the model does in every step of a random history: acquisitions, renewals, releases,
 * resets and peeks, at times that are passed in, under limits that change.
 */
@Tag(ServerVersionSensitive.TAG)
class HoldsAgreeIT {

    private static final RedisServer REDIS = RedisServer.shared();
    private static final String PREFIX = "agree";
    private static final String RUN = UUID.randomUUID().toString().substring(0, 8);
    private static final AtomicLong HISTORIES = new AtomicLong();
    private static final ManualClock CLOCK = ManualClock.atMicros(1_763_776_800_000_000L);
    private static final List<String> USERS = List.of("alice", "b o,b", "%{c}~");

    private static final OpenHolds OPEN = OpenHolds.connect(REDIS.url(), PREFIX, CLOCK);
    private static final MemoryHolds MEMORY = new MemoryHolds(CLOCK);

    private enum Kind {
        ACQUIRE,
        /** Acquires an earlier hold, with its id, a second time. */
        ACQUIRE_AGAIN,
        RENEW,
        RELEASE,
        PEEK,
        RESET
    }

    /**
     * One step.
     *
     * @param hold which hold, counted from the newest; a reset is of the global rule if even, and of the rule per user if odd
     * @param global the global limit
     * @param perUser the limit of each user
     */
    record Step(
            Kind kind,
            int user,
            long permits,
            int hold,
            long global,
            long perUser,
            long waitMicros,
            int leaseSeconds) {}

    @AfterContainer
    static void close() {
        OPEN.close();
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void at_every_step(@ForAll("histories") List<Step> history) {
        agree(history);
    }

    @Provide
    Arbitrary<List<Step>> histories() {
        Arbitrary<Kind> kinds = Arbitraries.frequency(
                Tuple.of(8, Kind.ACQUIRE),
                Tuple.of(1, Kind.ACQUIRE_AGAIN),
                Tuple.of(3, Kind.RENEW),
                Tuple.of(3, Kind.RELEASE),
                Tuple.of(2, Kind.PEEK),
                Tuple.of(1, Kind.RESET));
        // Half seconds, so that leases often end at the instant of a step.
        Arbitrary<Long> waits = Arbitraries.oneOf(
                Arbitraries.just(0L),
                Arbitraries.of(500_000L, 1_000_000L),
                Arbitraries.longs().between(0, 2_000_000));
        return Combinators.combine(
                        kinds,
                        Arbitraries.integers().between(0, USERS.size() - 1),
                        Arbitraries.oneOf(
                                Arbitraries.just(1L), Arbitraries.longs().between(1, 100)),
                        Arbitraries.integers().between(0, 8),
                        Arbitraries.oneOf(
                                Arbitraries.longs().between(0, 8),
                                Arbitraries.longs().between(0, 300)),
                        Arbitraries.oneOf(
                                Arbitraries.longs().between(0, 4),
                                Arbitraries.longs().between(0, 200)),
                        waits,
                        Arbitraries.integers().between(1, 3))
                .as(Step::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(60)
                .withSizeDistribution(RandomDistribution.uniform());
    }

    /** One history at a time, because all share a clock. */
    private static synchronized void agree(List<Step> history) {
        String name = "p-" + RUN + "-" + HISTORIES.incrementAndGet();
        HoldModel model = new HoldModel();
        List<RequestedHold> requested = new ArrayList<>();
        for (int i = 0; i < history.size(); i++) {
            Step step = history.get(i);
            CLOCK.advance(Duration.ofNanos(step.waitMicros() * 1000));
            InFlightPolicy policy = InFlightPolicy.named(name)
                    .rule("all", step.global())
                    .rule("user", step.perUser(), Attributes.USER)
                    .lease(Duration.ofSeconds(step.leaseSeconds()))
                    .build();
            int at = i;
            RequestedHold target = target(step, requested, at);
            Object expected = expected(model, policy, step, target);
            for (HoldStore store : List.of(MEMORY, OPEN.store())) {
                assertThat(actual(store, policy, step, target))
                        .as(() -> store.getClass().getSimpleName() + " after " + history.subList(0, at + 1))
                        .isEqualTo(expected);
            }
            if (step.kind() == Kind.ACQUIRE) {
                requested.add(target);
            }
        }
        Leftovers.in(REDIS.url(), PREFIX + ":if:{" + name + "}*").requireNone();
    }

    /** The latest end of a renewed lease: soon in some steps, never in most. The global limit serves as a random number. */
    private static long latestEndMicros(Step step) {
        return step.global() % 4 == 1 ? CLOCK.nowMicros() + step.global() * 250_000 : HoldStore.NEVER;
    }

    /** A hold that was requested. */
    private record RequestedHold(HoldId id, long permits, int user) {}

    private static RequestedHold target(Step step, List<RequestedHold> requested, int at) {
        return step.kind() == Kind.ACQUIRE || requested.isEmpty()
                ? new RequestedHold(new HoldId(HISTORIES.get(), at), step.permits(), step.user())
                : requested.get(Math.max(0, requested.size() - 1 - step.hold()));
    }

    private static Attributes attributes(int user) {
        return Attributes.of(Attributes.USER, USERS.get(user));
    }

    private static Object expected(HoldModel model, InFlightPolicy policy, Step step, RequestedHold target) {
        long now = CLOCK.nowMicros();
        // A place is a rule together with the ids that it counts.
        List<String> places = List.of("all", "user " + target.user());
        Map<String, Long> limits = new LinkedHashMap<>();
        limits.put(places.get(0), step.global());
        limits.put(places.get(1), step.perUser());
        long lease = Micros.of(policy.lease());
        String id = String.valueOf(target.id().number());
        return switch (step.kind()) {
            case ACQUIRE, ACQUIRE_AGAIN -> {
                boolean taken = model.acquire(limits, id, target.permits(), lease, now);
                yield new HoldStore.Taken(taken, expectedInFlight(model, policy, places, now));
            }
            case RENEW -> model.renew(places, id, Math.min(lease, latestEndMicros(step) - now), now);
            case RELEASE -> model.release(places, id, now);
            case PEEK -> expectedInFlight(model, policy, places, now);
            case RESET -> model.reset(places.get(step.hold() % 2), now);
        };
    }

    private static InFlight expectedInFlight(HoldModel model, InFlightPolicy policy, List<String> places, long now) {
        List<InFlightCount> counts = IntStream.range(0, places.size())
                .mapToObj(i -> new InFlightCount(
                        policy.rules().get(i),
                        model.held(places.get(i), now),
                        model.nextExpiryMicros(places.get(i), now).stream()
                                .mapToObj(expiry -> Micros.toDuration(expiry - now))
                                .findFirst()))
                .toList();
        return InFlight.counted(counts, Micros.toInstant(now));
    }

    private static Object actual(HoldStore store, InFlightPolicy policy, Step step, RequestedHold target) {
        List<String> places = store.places(policy, attributes(target.user()));
        PlacedHold hold = new PlacedHold(policy.name(), target.id(), target.permits(), places, Optional.empty());
        CompletableFuture<?> answer =
                switch (step.kind()) {
                    case ACQUIRE, ACQUIRE_AGAIN ->
                        store.acquire(policy, hold)
                                .thenApply(taken -> new HoldStore.Taken(taken.allowed(), taken.inFlight()))
                                .toCompletableFuture();
                    case RENEW ->
                        store.renew(policy.lease(), latestEndMicros(step), List.of(hold))
                                .thenApply(held -> held[0])
                                .toCompletableFuture();
                    case RELEASE ->
                        store.release(List.of(hold))
                                .thenApply(released -> released.get(0).wasHeld())
                                .toCompletableFuture();
                    case PEEK -> store.peek(policy, places).toCompletableFuture();
                    case RESET ->
                        store.reset(policy.name(), places.get(step.hold() % 2)).toCompletableFuture();
                };
        return answer.join();
    }
}
