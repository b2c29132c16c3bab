package io.headgate.limits.internal.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.LimitListener;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.internal.Blocking;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.LimitListeners;
import io.headgate.limits.internal.bans.BanIndex;
import io.headgate.limits.internal.waiting.TimedWait;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests the elapsed time that an in-flight engine reports to its listeners. */
class InFlightEngineTest {

    private final AtomicLong elapsedNanos = new AtomicLong(-1);
    private final FailingHolds store = new FailingHolds(new MemoryHolds(() -> 1_000_000), () -> false);
    private final InFlightEngine engine = new InFlightEngine(
            new EngineState(() -> "limits in this test"),
            store,
            new HoldId.Source(),
            new BanIndex(() -> 1_000_000),
            TimedWait.TIMER,
            Blocking.NEVER,
            new LimitListeners(List.of(new LimitListener() {
                @Override
                public void onHold(
                        InFlightPolicy policy, Attributes attributes, long permits, Hold hold, long elapsed) {
                    elapsedNanos.set(elapsed);
                }
            })),
            policy -> {});
    private final InFlightLimiter exports = new StoreInFlightLimiter(
            InFlightPolicy.named("exports").rule("global", 1).build(), engine);

    @Test
    void a_decision_without_a_call_has_an_elapsed_time_of_0() {
        exports.tryAcquire(PermitRequest.global());
        assertThat(elapsedNanos).hasValue(0);
    }

    @Test
    void a_remote_call_has_a_positive_elapsed_time_even_if_its_reply_is_immediate() {
        store.replyLikeRemote();
        for (int i = 0; i < 2; i++) {
            elapsedNanos.set(-1);
            exports.tryAcquire(PermitRequest.global());
            assertThat(elapsedNanos).hasPositiveValue();
        }
    }
}
