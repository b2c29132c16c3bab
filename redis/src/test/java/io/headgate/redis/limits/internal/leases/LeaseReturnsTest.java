package io.headgate.redis.limits.internal.leases;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Refunds of leases are sent with bounded concurrency, and refunds beyond the buffer are dropped. */
class LeaseReturnsTest {

    private final LeaseReturns returns = new LeaseReturns();
    private final Deque<CompletableFuture<Void>> inFlight = new ArrayDeque<>();
    private int sent;

    private CompletableFuture<Void> send() {
        sent++;
        CompletableFuture<Void> answer = new CompletableFuture<>();
        inFlight.add(answer);
        return answer;
    }

    private void answerOne() {
        Objects.requireNonNull(inFlight.poll()).complete(null);
    }

    @Test
    void a_bounded_number_is_in_flight_and_the_next_is_sent_when_one_is_answered() {
        for (int i = 0; i < 1000; i++) {
            returns.add(this::send);
        }
        CompletableFuture<Void> empty = returns.whenEmpty();
        for (int answered = 0; answered < 1000; answered++) {
            assertThat(inFlight).hasSize(Math.min(LeaseReturns.MAX_IN_FLIGHT, 1000 - answered));
            assertThat(empty).isNotDone();
            answerOne();
        }
        assertThat(sent).isEqualTo(1000);
        assertThat(empty).isCompleted();
        assertThat(returns.whenEmpty()).isCompleted();
    }

    /** Calls fail immediately when there is no connection. They must not nest, or the stack would overflow. */
    @Test
    void calls_that_fail_immediately_do_not_nest() {
        returns.add(this::send);
        for (int i = 1; i < LeaseReturns.MAX_IN_FLIGHT; i++) {
            returns.add(this::send);
        }
        for (int i = 0; i < 50_000; i++) {
            returns.add(() -> {
                sent++;
                return CompletableFuture.failedFuture(new IllegalStateException());
            });
        }
        answerOne();
        assertThat(sent).isEqualTo(LeaseReturns.MAX_IN_FLIGHT + 50_000);
    }

    @Test
    void an_exception_of_a_call_does_not_escape_or_block_others() {
        for (int i = 0; i < 1000; i++) {
            returns.add(() -> {
                throw new RejectedExecutionException("closed");
            });
            returns.add(this::send);
        }
        CompletableFuture<Void> empty = returns.whenEmpty();
        while (!inFlight.isEmpty()) {
            answerOne();
        }
        assertThat(sent).isEqualTo(1000);
        assertThat(empty).isCompleted();
    }

    @Test
    void refunds_beyond_the_buffer_are_dropped() {
        for (int i = 0; i < LeaseReturns.MAX_OPEN + 1000; i++) {
            returns.add(this::send);
        }
        CompletableFuture<Void> empty = returns.whenEmpty();
        while (!inFlight.isEmpty()) {
            answerOne();
        }
        assertThat(sent).isEqualTo(LeaseReturns.MAX_OPEN);
        assertThat(empty).isCompleted();
    }
}
