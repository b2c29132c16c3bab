package io.headgate.bench.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.bench.peers.Subject.Gate;
import io.headgate.bench.run.Tally;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** A closed loop measures the latency of an answer from its own request, by a clock that only the answers advance. */
class ClosedLoopTest {

    private static final int IMMEDIATE = 10;

    private final AtomicLong nowNanos = new AtomicLong();

    private CompletableFuture<Boolean> allowedAfter(Duration time) {
        nowNanos.addAndGet(time.toNanos());
        return CompletableFuture.completedFuture(true);
    }

    /** An answer that arrives 5 ms after the loop has started to wait for it. */
    private final class LaterAnswer extends CompletableFuture<Boolean> {

        @Override
        public CompletableFuture<Boolean> whenComplete(BiConsumer<? super Boolean, ? super Throwable> action) {
            CompletableFuture<Boolean> result = super.whenComplete(action);
            nowNanos.addAndGet(Duration.ofMillis(5).toNanos());
            complete(true);
            return result;
        }
    }

    /** Answers the first requests after 1 ms each, without a wait of the loop, and the next one later. */
    private final class ImmediateThenLater implements Gate {

        private int requests;

        @Override
        public CompletionStage<Boolean> tryAcquire(String key) {
            return ++requests <= IMMEDIATE ? allowedAfter(Duration.ofMillis(1)) : new LaterAnswer();
        }

        @Override
        public void close() {}
    }

    @Test
    void an_answer_after_immediate_ones_is_measured_from_its_own_request() {
        Tally tally = new ClosedLoop(
                        new ImmediateThenLater(), List.of("key"), 1, Duration.ofMillis(IMMEDIATE + 1), nowNanos::get)
                .run();
        assertThat(tally.allowed()).isEqualTo(IMMEDIATE + 1);
        // The histogram rounds to a thousandth.
        assertThat(tally.percentileMicros(50)).isBetween(999.0, 1001.0);
        assertThat(tally.percentileMicros(100)).isBetween(4995.0, 5005.0);
    }
}
