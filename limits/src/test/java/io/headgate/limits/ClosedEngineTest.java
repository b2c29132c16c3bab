package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** After an engine is closed, every call but the release of a hold fails with the same exception, and every wait ends. */
class ClosedEngineTest {

    private static final Limit ONE_A_MINUTE = Limit.slidingWindow(1, Duration.ofMinutes(1));
    private static final Attributes ALICE = Attributes.of(Attributes.KEY, "alice");
    private static final String CLOSED = "limits in memory are closed";

    private final InMemoryLimitEngine limits =
            InMemoryLimitEngine.builder().time(() -> 1_800_000_000_000_000L).build();
    private final Limiter limiter = limits.limiter("p", ONE_A_MINUTE);
    private final InFlightLimiter exports = limits.inFlight("exports", 1);

    @Test
    void every_blocking_call_throws_the_exception_of_a_closed_engine() {
        Decision decision = limiter.tryAcquire("alice");
        CombinedRequest combined = CombinedRequest.of(limiter, "bob");
        CombinedDecision ofCombined = limits.tryAcquire(combined);
        limits.close();
        limits.close();
        List<ThrowingCallable> calls = List.of(
                () -> limits.limiter("p", ONE_A_MINUTE),
                () -> limits.inFlight("exports", 1),
                () -> limits.allow("alice", "login", 1, Duration.ofMinutes(1)),
                () -> limits.tryAcquire(combined),
                () -> limits.refund(combined, ofCombined),
                () -> limiter.tryAcquire("alice"),
                () -> limiter.tryAcquire(PermitRequest.of("alice").withId(RequestId.of("r1"))),
                () -> limiter.acquire("alice", Duration.ofMinutes(1)),
                () -> limiter.peek("alice"),
                () -> limiter.refund("alice", decision),
                () -> limiter.refundOldest(PermitRequest.of("alice")),
                () -> limiter.reset("alice"),
                () -> limiter.update(limiter.policy()),
                () -> exports.tryAcquire("alice"),
                () -> exports.acquire("alice", Duration.ofMinutes(1)),
                () -> exports.peek("alice"),
                () -> exports.reset("alice"),
                () -> exports.update(exports.policy()));
        for (ThrowingCallable call : calls) {
            assertThatThrownBy(call).isInstanceOf(IllegalStateException.class).hasMessage(CLOSED);
        }
    }

    @Test
    void every_asynchronous_call_returns_a_future_that_fails_with_the_same_exception() {
        Decision decision = limiter.tryAcquire("alice");
        HoldTickets tickets = exports.async().tickets();
        Duration lease = Duration.ofMinutes(1);
        HoldTicket ticket = tickets.tryAcquire(PermitRequest.of(ALICE), lease)
                .toCompletableFuture()
                .join()
                .ticket()
                .orElseThrow();
        limits.close();
        AsyncLimiter async = limiter.async();
        List<Supplier<CompletionStage<?>>> calls = List.of(
                () -> limits.tryAcquireAsync(CombinedRequest.of(limiter, "alice")),
                () -> async.tryAcquire("alice"),
                () -> async.tryAcquire(PermitRequest.of("alice").withId(RequestId.of("r1"))),
                () -> async.acquire("alice", Duration.ofMinutes(1)),
                () -> async.peek("alice"),
                () -> async.refund("alice", decision),
                () -> async.refundOldest(PermitRequest.of("alice")),
                () -> async.reset("alice"),
                () -> exports.async().tryAcquire("alice"),
                () -> exports.async().acquire("alice", Duration.ofMinutes(1)),
                () -> exports.async().peek("alice"),
                () -> exports.async().reset("alice"),
                () -> tickets.tryAcquire(PermitRequest.of(ALICE), lease),
                () -> tickets.acquire(PermitRequest.of(ALICE), lease, Duration.ofMinutes(1)),
                () -> tickets.renew(ticket, ALICE, lease),
                () -> tickets.release(ticket, ALICE));
        for (Supplier<CompletionStage<?>> call : calls) {
            assertFails(call.get().toCompletableFuture());
        }
    }

    @Test
    void waiting_calls_fail_when_the_engine_is_closed() {
        limiter.tryAcquire("alice");
        Hold hold = exports.tryAcquire("alice");
        List<CompletableFuture<?>> waits = List.of(
                limiter.async().acquire("alice", Duration.ofDays(1)).toCompletableFuture(),
                limiter.async().acquire("alice", Duration.ofDays(1)).toCompletableFuture(),
                exports.async().acquire("alice", Duration.ofDays(1)).toCompletableFuture(),
                exports.async().acquire("alice", Duration.ofDays(1)).toCompletableFuture());
        limits.close();
        waits.forEach(ClosedEngineTest::assertFails);
        // close() has released the hold; a later release returns the same result.
        assertThat(hold.release()).isTrue();
    }

    private static void assertFails(CompletableFuture<?> call) {
        assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IllegalStateException.class)
                .cause()
                .hasMessage(CLOSED);
    }
}
