package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Hold;
import io.headgate.limits.HoldTicket;
import io.headgate.limits.HoldTickets;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.redis.RedisSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** After {@code close()} every call fails with the same exception, whatever the fallback, and every call in flight ends. */
class ClosedLimitsIT {

    private static final Limit LIMIT = Limit.slidingWindow(1, Duration.ofHours(1));
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final Attributes ALICE = Attributes.of(Attributes.KEY, "alice");

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private String closedMessage(RedisLimitEngine limits) {
        return "limits on " + limits.description() + " are closed";
    }

    private RedisLimitEngine limits(Fallback.Mode mode) {
        Fallback fallback =
                switch (mode) {
                    case LOCAL -> Fallback.local();
                    case OPEN -> Fallback.open();
                    case CLOSED -> Fallback.closed();
                    case NONE -> Fallback.none();
                };
        return RedisLimitEngine.builder(RedisSettings.of(redis.proxy.url()).withTimeout(TIMEOUT))
                .fallback(mode == Fallback.Mode.NONE ? fallback : fallback.within(TIMEOUT))
                .build();
    }

    @ParameterizedTest
    @EnumSource(Fallback.Mode.class)
    void every_call_to_a_closed_engine_fails_with_the_same_exception(Fallback.Mode mode) {
        RedisLimitEngine limits = limits(mode);
        Limiter limiter = limits.limiter("p", LIMIT);
        Limiter leased = limits.limiter(Policy.named("leased")
                .rule("r", Limit.fixedWindow(1000, Duration.ofHours(1)), Attributes.KEY)
                .leased(Duration.ofSeconds(30))
                .build());
        InFlightLimiter exports = limits.inFlight("exports", 1);
        HoldTickets tickets = exports.async().tickets();
        Duration lease = Duration.ofMinutes(1);
        HoldTicket ticket = tickets.tryAcquire(PermitRequest.of(ALICE), lease)
                .toCompletableFuture()
                .join()
                .ticket()
                .orElseThrow();
        assertThat(exports.async()
                        .tickets()
                        .release(ticket, ALICE)
                        .toCompletableFuture()
                        .join())
                .isTrue();
        Decision decision = limiter.tryAcquire("alice");
        assertThat(limiter.tryAcquire("alice").denied()).isTrue(); // A denial that is cached.
        leased.tryAcquire("alice");
        limits.close();
        limits.close();
        List<ThrowingCallable> calls = List.of(
                () -> limits.limiter("p", LIMIT),
                () -> limits.inFlight("exports", 1),
                () -> limits.allow("alice", "login", 1, Duration.ofMinutes(1)),
                () -> limiter.tryAcquire("alice"),
                () -> limits.tryAcquire(CombinedRequest.of(limiter, "alice")),
                () -> limiter.tryAcquire("bob"),
                () -> leased.tryAcquire("alice"),
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
            assertThatThrownBy(call).isInstanceOf(IllegalStateException.class).hasMessage(closedMessage(limits));
        }
        AsyncLimiter async = limiter.async();
        List<Supplier<CompletionStage<?>>> asyncCalls = List.of(
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
                () -> tickets.release(ticket, ALICE),
                limits::ping,
                () -> limits.hotKeys().top("p"));
        for (Supplier<CompletionStage<?>> call : asyncCalls) {
            assertFails(call.get().toCompletableFuture(), limits);
        }
    }

    @ParameterizedTest
    @EnumSource(Fallback.Mode.class)
    void close_fails_calls_in_flight_and_waiting_calls_with_the_same_exception(Fallback.Mode mode) {
        RedisLimitEngine limits = limits(mode);
        Limiter limiter = limits.limiter("p", LIMIT);
        InFlightLimiter exports = limits.inFlight("exports", 1);
        assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
        Hold hold = exports.tryAcquire("alice");
        CompletableFuture<?> waiting =
                limiter.async().acquire("alice", Duration.ofHours(2)).toCompletableFuture();
        CompletableFuture<?> second =
                limiter.async().acquire("alice", Duration.ofHours(2)).toCompletableFuture();
        CompletableFuture<?> waitingToo =
                exports.async().acquire("alice", Duration.ofHours(2)).toCompletableFuture();
        exports.peek("alice"); // Its reply comes after that of the wait, which was denied.
        redis.proxy.holdReplies();
        List<CompletableFuture<?>> inFlight = List.of(
                limiter.async().tryAcquire("bob").toCompletableFuture(),
                limiter.async().tryAcquire("bob").toCompletableFuture(),
                limiter.async()
                        .tryAcquire(PermitRequest.of("bob").withId(RequestId.of("r1")))
                        .toCompletableFuture(),
                limiter.async().peek("bob").toCompletableFuture());
        limits.close();
        for (CompletableFuture<?> call : inFlight) {
            assertFails(call, limits);
        }
        assertThatThrownBy(() -> inFlight.get(0).get())
                .cause()
                .cause()
                .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                        .isTrue());
        assertFails(waiting, limits);
        assertFails(second, limits);
        assertFails(waitingToo, limits);
        assertThat(hold.isLost()).isFalse();
        assertThat(limits.requestsInFlight()).isZero();
    }

    @Test
    void a_closed_engine_admits_nothing_from_its_local_share() {
        RedisLimitEngine limits = limits(Fallback.Mode.LOCAL);
        Limiter limiter = limits.limiter("p", LIMIT);
        redis.proxy.refuseConnections();
        redis.proxy.cutAll();
        assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
        limits.close();
        assertThatThrownBy(() -> limiter.tryAcquire("bob"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(closedMessage(limits));
    }

    private void assertFails(CompletableFuture<?> call, RedisLimitEngine limits) {
        assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IllegalStateException.class)
                .cause()
                .hasMessage(closedMessage(limits));
    }
}
