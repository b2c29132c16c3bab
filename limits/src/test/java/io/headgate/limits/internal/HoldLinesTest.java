package io.headgate.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimiterException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Who waits is woken by what is given back, and hands on what it can't use. Nobody asks again by itself here, as those who wait
 * else do each second: who is not woken is not served.
 */
@Timeout(60)
class HoldLinesTest {

    private static final Duration LONG = Duration.ofHours(1);
    private static final Attributes ALICE = Attributes.of(Attributes.USER, "alice");
    private static final Attributes BOB = Attributes.of(Attributes.USER, "bob");
    private static final Attributes CAROL = Attributes.of(Attributes.USER, "carol");

    private final AtomicBoolean releasesFail = new AtomicBoolean();
    private final MemoryHolds holds = new MemoryHolds(() -> 1_000_000);
    private final InFlightEngine engine = new InFlightEngine(
            new Failing(),
            new HoldId.Source(),
            TimedWait.TIMER,
            Blocking.NEVER,
            List.of(),
            policy -> {},
            LONG.toNanos());

    /** Fails to release where that is told, and else does what the one in memory does. */
    private final class Failing implements HoldStore {

        @Override
        public List<String> places(InFlightPolicy policy, Attributes attributes) {
            return holds.places(policy, attributes);
        }

        @Override
        public CompletionStage<Taken> acquire(InFlightPolicy policy, PlacedHold hold) {
            return holds.acquire(policy, hold);
        }

        @Override
        public CompletionStage<InFlight> peek(InFlightPolicy policy, List<String> places) {
            return holds.peek(policy, places);
        }

        @Override
        public CompletionStage<boolean[]> renew(
                String policy, Duration lease, long endsMicros, List<PlacedHold> placed) {
            return holds.renew(policy, lease, endsMicros, placed);
        }

        @Override
        public CompletionStage<boolean[]> release(String policy, List<PlacedHold> placed) {
            return releasesFail.getAndSet(false)
                    ? CompletableFuture.failedFuture(new LimiterException("release", policy, "gone", false, null))
                    : holds.release(policy, placed);
        }

        @Override
        public CompletionStage<Boolean> reset(String policy, String place) {
            return holds.reset(policy, place);
        }
    }

    private InFlightLimiter limiter(long global, long perUser) {
        return engine.limiter(InFlightPolicy.named("exports")
                .rule("global", global)
                .rule("per-user", perUser, Attributes.USER)
                .lease(LONG)
                .build());
    }

    private static CompletableFuture<Hold> waiting(InFlightLimiter limiter, Attributes who, long permits) {
        CompletableFuture<Hold> waiting =
                limiter.async().acquire(who, permits, LONG).toCompletableFuture();
        assertThat(waiting).isNotDone();
        return waiting;
    }

    private static void served(CompletableFuture<Hold> waiting) throws Exception {
        assertThat(waiting.get(30, TimeUnit.SECONDS).allowed()).isTrue();
    }

    @Test
    void who_waits_is_told_of_what_is_given_back() throws Exception {
        InFlightLimiter exports = limiter(1, 1);
        Hold held = exports.tryAcquire(CAROL);
        CompletableFuture<Hold> alice = waiting(exports, ALICE, 1);
        held.close();
        served(alice);
    }

    @Test
    void who_waits_is_told_of_what_is_given_back_by_ticket() throws Exception {
        InFlightLimiter exports = limiter(1, 1);
        Hold held = exports.async()
                .tickets()
                .tryAcquire(CAROL, 1, LONG)
                .toCompletableFuture()
                .join();
        CompletableFuture<Hold> alice = waiting(exports, ALICE, 1);
        exports.async().tickets().release(held.ticket().orElseThrow(), CAROL);
        served(alice);
    }

    @Test
    void who_waits_is_told_of_what_could_be_given_back_only_later() throws Exception {
        InFlightLimiter exports = limiter(1, 1);
        Hold held = exports.tryAcquire(CAROL);
        CompletableFuture<Hold> alice = waiting(exports, ALICE, 1);
        releasesFail.set(true);
        held.close();
        served(alice);
    }

    @Test
    void who_is_woken_and_can_not_use_it_hands_it_on() throws Exception {
        InFlightLimiter exports = limiter(1, 1);
        Hold held = exports.tryAcquire(CAROL);
        CompletableFuture<Hold> alice = waiting(exports, ALICE, 1);
        CompletableFuture<Hold> bob = waiting(exports, BOB, 1);
        // Alice waits for the place of all, and finds her own taken when she is woken for it.
        InFlightLimiter ofUsers = engine.limiter(InFlightPolicy.named("exports")
                .rule("per-user", 1, Attributes.USER)
                .lease(LONG)
                .build());
        assertThat(ofUsers.tryAcquire(ALICE).allowed()).isTrue();
        held.close();
        served(bob);
        assertThat(alice).isNotDone();
    }

    @Test
    void who_needs_more_than_was_given_back_hands_it_on() throws Exception {
        InFlightLimiter exports = limiter(2, 2);
        Hold held = exports.tryAcquire(CAROL);
        assertThat(exports.tryAcquire(CAROL).allowed()).isTrue();
        CompletableFuture<Hold> alice = waiting(exports, ALICE, 2);
        CompletableFuture<Hold> bob = waiting(exports, BOB, 1);
        held.close();
        served(bob);
        assertThat(alice).isNotDone();
    }

    @Test
    void as_many_are_woken_as_permits_were_given_back() throws Exception {
        InFlightLimiter exports = limiter(2, 2);
        Hold held = exports.tryAcquire(CAROL, 2);
        CompletableFuture<Hold> alice = waiting(exports, ALICE, 1);
        CompletableFuture<Hold> bob = waiting(exports, BOB, 1);
        held.close();
        served(alice);
        served(bob);
    }

    @Test
    void one_who_is_served_too_late_wakes_the_next() throws Exception {
        InFlightLimiter exports = limiter(1, 1);
        Hold held = exports.tryAcquire(CAROL);
        CompletableFuture<Hold> alice = waiting(exports, ALICE, 1);
        CompletableFuture<Hold> bob = waiting(exports, BOB, 1);
        alice.cancel(true);
        held.close();
        served(bob);
    }
}
