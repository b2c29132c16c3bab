package io.headgate.limits.internal.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Hold;
import io.headgate.limits.HoldTicket;
import io.headgate.limits.HoldTickets;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.internal.Blocking;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.limits.internal.bans.BanIndex;
import io.headgate.limits.internal.waiting.TimedWait;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A release wakes waiting requests, and a request that cannot use the permits wakes the next one. In this test, unlike in an engine, no
 * request retries each second. So a request that is not woken is not served.
 */
@Timeout(180)
class HoldLinesTest {

    private static final Duration LONG = Duration.ofHours(1);
    private static final Attributes ALICE = Attributes.of(Attributes.USER, "alice");
    private static final Attributes BOB = Attributes.of(Attributes.USER, "bob");
    private static final Attributes CAROL = Attributes.of(Attributes.USER, "carol");

    private final AtomicBoolean nextReleaseFails = new AtomicBoolean();
    private final FailingHolds store =
            new FailingHolds(new MemoryHolds(() -> 1_000_000), () -> nextReleaseFails.getAndSet(false));
    private final InFlightEngine engine = engine(store);

    private static InFlightEngine engine(HoldStore store) {
        return new InFlightEngine(
                new EngineState(() -> "limits in this test"),
                store,
                new HoldId.Source(),
                new BanIndex(() -> 1_000_000),
                TimedWait.TIMER,
                Blocking.NEVER,
                new LimitListeners(List.of()),
                policy -> {},
                LONG.toNanos());
    }

    private InFlightLimiter limiter(long global, long perUser) {
        return limiter(InFlightPolicy.named("exports")
                .rule("global", global)
                .rule("per-user", perUser, Attributes.USER)
                .lease(LONG)
                .build());
    }

    private InFlightLimiter limiter(InFlightPolicy policy) {
        return new StoreInFlightLimiter(policy, engine);
    }

    private static CompletableFuture<Hold> waiting(InFlightLimiter limiter, Attributes who, long permits) {
        CompletableFuture<Hold> waiting = limiter.async()
                .acquire(PermitRequest.of(who).withPermits(permits), LONG)
                .toCompletableFuture();
        assertThat(waiting).isNotDone();
        return waiting;
    }

    private static void assertServed(CompletableFuture<Hold> waiting) throws Exception {
        assertThat(waiting.get(60, TimeUnit.SECONDS).allowed()).isTrue();
    }

    /** The call times out after the engine is closed, but before its connection is closed. */
    @Test
    void permits_that_may_be_held_when_the_engine_closes_are_released() {
        InFlightLimiter exports = limiter(1, 1);
        LimiterException late = new LimiterException("hold", "key", "no answer within 1 ms", true, null);
        store.takeAndFailWith(new IllegalStateException("limits in this test are closed", late));
        assertThat(exports.async().tryAcquire(PermitRequest.of(ALICE)).toCompletableFuture())
                .isCompletedExceptionally();
        assertThat(exports.async()
                        .peek(PermitRequest.of(ALICE))
                        .toCompletableFuture()
                        .join()
                        .free())
                .isEqualTo(1);
    }

    @Test
    void a_release_wakes_a_waiting_request() throws Exception {
        InFlightLimiter exports = limiter(1, 1);
        Hold held = exports.tryAcquire(PermitRequest.of(CAROL));
        CompletableFuture<Hold> alice = waiting(exports, ALICE, 1);
        held.close();
        assertServed(alice);
    }

    @Test
    void a_release_by_ticket_wakes_a_waiting_request() throws Exception {
        InFlightLimiter exports = limiter(1, 1);
        Hold held = exports.async()
                .tickets()
                .tryAcquire(PermitRequest.of(CAROL), LONG)
                .toCompletableFuture()
                .join();
        CompletableFuture<Hold> alice = waiting(exports, ALICE, 1);
        exports.async().tickets().release(held.ticket().orElseThrow(), CAROL);
        assertServed(alice);
    }

    @Test
    void an_unknown_ticket_wakes_no_request() throws Exception {
        InFlightLimiter exports = limiter(1, 1);
        HoldTickets tickets = exports.async().tickets();
        Hold held = exports.tryAcquire(PermitRequest.of(CAROL));
        CompletableFuture<Hold> alice = waiting(exports, ALICE, 1);
        long attemptsBefore = store.attempts();
        for (int i = 0; i < 100; i++) {
            HoldTicket invented =
                    new HoldTicket(TicketText.of(HoldId.random(), 100, HoldStore.NEVER, exports.policy(), CAROL)
                            .text());
            assertThat(tickets.release(invented, CAROL)).isCompletedWithValue(false);
            assertThat(tickets.renew(invented, CAROL, LONG)).isCompletedWithValue(false);
        }
        held.close();
        assertServed(alice);
        assertThat(store.attempts() - attemptsBefore).isEqualTo(1);
    }

    /** When the release finally succeeds, the lease of the policy has passed, but the lease of the ticket has not. */
    @Test
    void a_failed_release_by_ticket_is_retried_for_the_lease_of_the_ticket() throws Exception {
        AtomicLong firstNanos = new AtomicLong();
        FailingHolds gone = new FailingHolds(new MemoryHolds(() -> 1_000_000), () -> {
            firstNanos.compareAndSet(0, System.nanoTime());
            return System.nanoTime() - firstNanos.get() < 1_500_000_000;
        });
        InFlightLimiter brief = new StoreInFlightLimiter(
                InFlightPolicy.named("brief")
                        .rule("global", 1)
                        .lease(Duration.ofSeconds(1))
                        .build(),
                engine(gone));
        HoldTickets tickets = brief.async().tickets();
        Hold held = tickets.tryAcquire(PermitRequest.global(), LONG)
                .toCompletableFuture()
                .join();
        assertThat(tickets.release(held.ticket().orElseThrow(), Attributes.none()))
                .isCompletedExceptionally();
        assertServed(brief.async().acquire(PermitRequest.global(), LONG).toCompletableFuture());
    }

    @Test
    void a_release_that_succeeds_when_it_is_retried_wakes_a_waiting_request() throws Exception {
        InFlightLimiter exports = limiter(1, 1);
        Hold held = exports.tryAcquire(PermitRequest.of(CAROL));
        CompletableFuture<Hold> alice = waiting(exports, ALICE, 1);
        nextReleaseFails.set(true);
        held.close();
        assertServed(alice);
    }

    @Test
    void a_woken_request_that_can_not_use_the_permits_wakes_the_next() throws Exception {
        InFlightLimiter exports = limiter(1, 1);
        Hold held = exports.tryAcquire(PermitRequest.of(CAROL));
        CompletableFuture<Hold> alice = waiting(exports, ALICE, 1);
        CompletableFuture<Hold> bob = waiting(exports, BOB, 1);
        // Alice waits for the global rule. When she is woken, her permit under the rule per user is held.
        InFlightLimiter ofUsers = limiter(InFlightPolicy.named("exports")
                .rule("per-user", 1, Attributes.USER)
                .lease(LONG)
                .build());
        assertThat(ofUsers.tryAcquire(PermitRequest.of(ALICE)).allowed()).isTrue();
        held.close();
        assertServed(bob);
        assertThat(alice).isNotDone();
    }

    @Test
    void a_request_that_needs_more_than_was_released_wakes_the_next() throws Exception {
        InFlightLimiter exports = limiter(2, 2);
        Hold held = exports.tryAcquire(PermitRequest.of(CAROL));
        assertThat(exports.tryAcquire(PermitRequest.of(CAROL)).allowed()).isTrue();
        CompletableFuture<Hold> alice = waiting(exports, ALICE, 2);
        CompletableFuture<Hold> bob = waiting(exports, BOB, 1);
        held.close();
        assertServed(bob);
        assertThat(alice).isNotDone();
    }

    @Test
    void as_many_requests_are_woken_as_permits_were_released() throws Exception {
        InFlightLimiter exports = limiter(2, 2);
        Hold held = exports.tryAcquire(PermitRequest.of(CAROL).withPermits(2));
        CompletableFuture<Hold> alice = waiting(exports, ALICE, 1);
        CompletableFuture<Hold> bob = waiting(exports, BOB, 1);
        held.close();
        assertServed(alice);
        assertServed(bob);
    }

    @Test
    void a_release_skips_a_cancelled_request_and_wakes_the_next() throws Exception {
        InFlightLimiter exports = limiter(1, 1);
        Hold held = exports.tryAcquire(PermitRequest.of(CAROL));
        CompletableFuture<Hold> alice = waiting(exports, ALICE, 1);
        CompletableFuture<Hold> bob = waiting(exports, BOB, 1);
        alice.cancel(true);
        held.close();
        assertServed(bob);
    }
}
