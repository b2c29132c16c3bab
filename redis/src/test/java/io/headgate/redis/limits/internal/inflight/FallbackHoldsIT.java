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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Holds that Redis grants after the caller was answered, without an engine above that would release them as well. */
@Timeout(60)
class FallbackHoldsIT {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final InFlightPolicy POLICY =
            InFlightPolicy.named("exports").rule("global", 1).build();
    private static final String KEY = "late:if:{exports}:global:";

    private final RedisServer redis = RedisServer.startOwn();
    private final RedisProbe probe = RedisProbe.of(redis.url());
    private final FaultProxy proxy = FaultProxy.before(redis.url());
    private final ManualClock clock = ManualClock.atMicros(1_763_776_800_000_000L);
    private final OpenHolds open = OpenHolds.connect(proxy.url(), "late", clock);
    private final DefaultEventExecutorGroup threads = new DefaultEventExecutorGroup(1);
    private final EngineState state = new EngineState(() -> "limits in this test");

    /** A Redis that is available, whatever it replies. */
    private record Healthy() implements RedisState {

        @Override
        public boolean isAvailable() {
            return true;
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
        public void requireSync() {}
    }

    private CompletableFuture<HoldStore.Taken> acquire(Fallback fallback) {
        RedisState healthy = new Healthy();
        FallbackHolds holds = new FallbackHolds(
                open.store(),
                new LocalHolds(1, new MemoryHolds(clock)),
                healthy,
                new BoundedCalls(state, healthy, threads),
                fallback.within(Duration.ofMillis(50)),
                LONG);
        PlacedHold hold = new PlacedHold("exports", new HoldId(1, 2), 1, List.of(KEY), Optional.empty());
        return holds.acquire(POLICY, hold).toCompletableFuture();
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
        // What matters is that it is closed when the budget ends.
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
}
