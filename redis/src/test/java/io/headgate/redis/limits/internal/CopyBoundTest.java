package io.headgate.redis.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** When copies of requests are sent. */
class CopyBoundTest {

    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicBoolean isHealthy = new AtomicBoolean(true);

    private CopyBound bound(int maxInFlightCalls) {
        return new CopyBound(maxInFlightCalls, inFlight::get, isHealthy::get);
    }

    private static boolean isSent(CopyBound bound, CompletableFuture<String> copy) {
        AtomicBoolean isSent = new AtomicBoolean();
        CompletableFuture<String> result = bound.send(() -> {
                    isSent.set(true);
                    return copy;
                })
                .toCompletableFuture();
        if (!isSent.get()) {
            assertThatThrownBy(result::join).hasCauseInstanceOf(RejectedExecutionException.class);
        }
        return isSent.get();
    }

    @Test
    void copies_are_a_tenth_of_the_calls_and_1000_at_most() {
        Map.of(4, 1, 50, 5, 100_000, 1000).forEach((maxInFlightCalls, most) -> {
            CopyBound bound = bound(maxInFlightCalls);
            CompletableFuture<String> reply = new CompletableFuture<>();
            for (int i = 0; i < most; i++) {
                assertThat(isSent(bound, reply)).isTrue();
            }
            assertThat(isSent(bound, new CompletableFuture<>())).isFalse();
            reply.complete("decided");
            assertThat(isSent(bound, new CompletableFuture<>())).isTrue();
        });
    }

    @Test
    void no_copy_is_sent_while_a_quarter_of_the_calls_is_in_flight() {
        CopyBound bound = bound(100);
        inFlight.set(24);
        assertThat(isSent(bound, CompletableFuture.completedFuture("decided"))).isTrue();
        inFlight.set(25);
        assertThat(isSent(bound, CompletableFuture.completedFuture("decided"))).isFalse();
        inFlight.set(0);
        assertThat(isSent(bound(3), CompletableFuture.completedFuture("decided")))
                .isFalse();
    }

    @Test
    void no_copy_is_sent_while_redis_is_not_healthy() {
        CopyBound bound = bound(100);
        isHealthy.set(false);
        assertThat(isSent(bound, CompletableFuture.completedFuture("decided"))).isFalse();
        isHealthy.set(true);
        assertThat(isSent(bound, CompletableFuture.completedFuture("decided"))).isTrue();
    }

    @Test
    void failed_copies_are_no_longer_outstanding() {
        CopyBound bound = bound(10);
        assertThat(isSent(bound, CompletableFuture.failedFuture(new IllegalStateException("no reply"))))
                .isTrue();
        assertThatThrownBy(() -> bound.send(() -> {
                    throw new IllegalStateException("closed");
                }))
                .hasMessage("closed");
        assertThat(isSent(bound, CompletableFuture.completedFuture("decided"))).isTrue();
    }
}
