package io.headgate.bench.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** The history detects lost and repeated jobs. */
class JobHistoryTest {

    private final JobHistory history = new JobHistory();

    @Test
    void an_answered_job_that_was_never_handled_and_is_not_in_the_queue_is_lost() {
        history.answered("a");
        history.answered("b");
        history.answered("c");
        history.handled("a");

        assertThat(history.lost(Set.of("b"))).containsExactly("c");
        assertThat(history.answered()).isEqualTo(3);
    }

    @Test
    void a_job_whose_enqueue_was_not_answered_is_not_lost() {
        history.handled("enqueued without an answer");

        assertThat(history.lost(Set.of())).isEmpty();
        assertThat(history.answered()).isZero();
    }

    @Test
    void a_job_that_was_handled_again_counts_as_handled_twice() {
        history.answered("a");
        history.handled("a");
        history.handled("b");
        history.handled("b");
        history.acked("b");

        assertThat(history.handledTwice()).containsExactly("b");
        assertThat(history.backAfterAck()).isEmpty();
    }

    @Test
    void a_job_that_is_handled_after_an_answered_ack_was_redelivered() {
        history.handled("a");
        history.acked("a");
        history.handled("a");

        assertThat(history.backAfterAck()).containsExactly("a");
        assertThat(history.handledTwice()).containsExactly("a");
    }
}
