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
    void an_interrupt_cancels_what_is_waited_for() {
        CompletableFuture<String> never = new CompletableFuture<>();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Waiting.on(never)).isInstanceOf(InterruptedException.class);
        assertThat(never).isCancelled();
    }

    /** Otherwise the permits of that answer would stay charged unnoticed. */
    @Test
    void an_answer_that_comes_with_the_interrupt_is_returned_and_the_thread_stays_interrupted() throws Exception {
        assertThat(Waiting.on(new AnsweredWhenInterrupted("answer"))).isEqualTo("answer");
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    /** A stage whose answer comes after the thread that waits for it was interrupted, and before it is cancelled. */
    private static final class AnsweredWhenInterrupted extends CompletableFuture<String> {

        private final String answer;

        AnsweredWhenInterrupted(String answer) {
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
