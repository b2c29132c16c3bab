package io.headgate.limits.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WaitingOnStageTest {

    @AfterEach
    void clearTheInterrupt() {
        Thread.interrupted();
    }

    @Test
    void an_interrupt_cancels_the_stage() {
        CompletableFuture<String> never = new CompletableFuture<>();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Waiting.on(never)).isInstanceOf(InterruptedException.class);
        assertThat(never).isCancelled();
    }

    /** If the result were dropped, its permits would stay charged. */
    @Test
    void a_result_that_arrives_with_the_interrupt_is_returned_and_the_thread_stays_interrupted() throws Exception {
        assertThat(Waiting.on(new CompletedWhenInterrupted("answer"))).isEqualTo("answer");
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    /** A stage whose result arrives after the waiting thread was interrupted, and before the stage is cancelled. */
    private static final class CompletedWhenInterrupted extends CompletableFuture<String> {

        private final String answer;

        CompletedWhenInterrupted(String answer) {
            this.answer = answer;
        }

        @Override
        public String get() throws InterruptedException, ExecutionException {
            if (complete(answer)) {
                throw new InterruptedException();
            }
            return super.get();
        }
    }
}
