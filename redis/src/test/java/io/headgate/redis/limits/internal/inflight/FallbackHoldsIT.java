package io.headgate.redis.limits.internal.inflight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Fallback;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.inflight.HoldId;
import io.headgate.limits.internal.inflight.HoldStore;
import io.headgate.limits.internal.inflight.MemoryHolds;
import io.headgate.limits.internal.inflight.PlacedHold;
import io.headgate.testkit.Await;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls without a reply in time, and late replies. The tests use no engine, because an engine would also release and send holds. */
@Timeout(60)
class FallbackHoldsIT {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final InFlightPolicy POLICY =
            InFlightPolicy.named("exports").rule("global", 1).build();
    private static final String KEY = "late:if:{exports}:global:";

    private static final PlacedHold HOLD =
            new PlacedHold("exports", new HoldId(1, 2), 1, List.of(KEY), Optional.empty());

    private final RedisServer redis = RedisServer.startOwn();
    private final RedisProbe probe = RedisProbe.of(redis.url());
    private final FaultProxy proxy = FaultProxy.before(redis.url());
    private final ManualClock clock = ManualClock.atMicros(1_763_776_800_000_000L);
    private final OpenHolds open = OpenHolds.connect(proxy.url(), "late", clock);
    private final DefaultEventExecutorGroup threads = new DefaultEventExecutorGroup(1);
    private final EngineState state = new EngineState(() -> "limits in this test");

    private final Available available = new Available(new AtomicBoolean(true), new AtomicInteger());

    /** A state of Redis that the test sets, whatever Redis replies. It counts the reports of unsynced holds. */
    private record Available(AtomicBoolean isReachable, AtomicInteger unsynced) implements RedisState {

        @Override
        public boolean isAvailable() {
            return isReachable.get();
        }

        @Override
        public void answered() {}

        @Override
        public void failed(LimiterException problem) {}

        @Override
        public void shareLimits() {}

        @Override
        public int instances() {
            return 1;
        }

        @Override
        public void requireSync() {
            unsynced.incrementAndGet();
        }
    }

    private FallbackHolds holds(Fallback fallback) {
        return new FallbackHolds(
                open.store(),
                new LocalHolds(1, new MemoryHolds(clock)),
                available,
                new BoundedCalls(state, available, threads),
                fallback,
                LONG);
    }

    private CompletableFuture<HoldStore.Taken> acquire(Fallback fallback) {
        FallbackHolds holds = holds(fallback.within(Duration.ofMillis(50)));
        return holds.acquire(POLICY, HOLD).toCompletableFuture();
    }

    private boolean isHeld() {
        return Long.valueOf(1).equals(probe.command("EXISTS", KEY));
    }

    @AfterEach
    void close() {
        open.close();
        proxy.close();
        threads.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        Leftovers.in(redis.url(), "*").requireNone();
        probe.close();
        redis.close();
    }

    @Test
    void a_hold_granted_after_the_call_failed_on_a_closed_engine_is_released() {
        proxy.holdReplies();
        // The engine must be closed when the budget ends.
        state.close();
        CompletableFuture<HoldStore.Taken> taken = acquire(Fallback.local());
        assertThatThrownBy(() -> taken.get(LONG.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(IllegalStateException.class);
        Await.until("Redis to grant it", LONG, this::isHeld);

        proxy.resume();

        Await.until("it to be released", LONG, () -> !isHeld());
    }

    @Test
    void a_hold_granted_after_the_fallback_denied_it_is_released() throws Exception {
        proxy.holdReplies();
        CompletableFuture<HoldStore.Taken> taken = acquire(Fallback.closed());
        assertThat(taken.get(LONG.toSeconds(), TimeUnit.SECONDS).allowed()).isFalse();
        Await.until("Redis to grant it", LONG, this::isHeld);

        proxy.resume();

        Await.until("it to be released", LONG, () -> !isHeld());
    }

    @Test
    void a_hold_granted_without_a_reply_is_reported_as_unsynced() throws Exception {
        proxy.holdReplies();
        CompletableFuture<HoldStore.Taken> taken = acquire(Fallback.local());
        assertThat(taken.get(LONG.toSeconds(), TimeUnit.SECONDS).allowed()).isTrue();
        assertThat(available.unsynced()).hasPositiveValue();
        proxy.resume();
    }

    @Test
    void a_renewal_before_redis_has_received_the_hold_finds_it_held() throws Exception {
        FallbackHolds holds = holds(Fallback.local().within(LONG));
        available.isReachable().set(false);
        assertThat(holds.acquire(POLICY, HOLD).toCompletableFuture().join().allowed())
                .isTrue();
        available.isReachable().set(true);
        CompletableFuture<boolean[]> renewed =
                holds.renew(POLICY.lease(), List.of(HOLD)).toCompletableFuture();
        assertThat(renewed.get(LONG.toSeconds(), TimeUnit.SECONDS)).containsExactly(true);
        assertThat(isHeld()).isFalse();
    }
}
