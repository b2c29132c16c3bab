package io.headgate.bench.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** The history detects lost and repeated jobs. */
class JobHistoryTest {

    private final JobHistory history = new JobHistory();

    @Test
    void a_job_that_was_answered_and_is_nowhere_is_lost() {
        history.answered("a");
        history.answered("b");
        history.answered("c");
        history.handled("a");

        assertThat(history.lost(Set.of("b"))).containsExactly("c");
        assertThat(history.answered()).isEqualTo(3);
    }

    @Test
    void a_job_that_was_not_answered_is_not_missed() {
        history.handled("in the queue all the same");

        assertThat(history.lost(Set.of())).isEmpty();
        assertThat(history.answered()).isZero();
    }

    @Test
    void a_job_that_two_did_was_handled_twice() {
        history.answered("a");
        history.handled("a");
        history.handled("b");
        history.handled("b");
        history.acked("b");

        assertThat(history.handledTwice()).containsExactly("b");
        assertThat(history.backAfterAck()).isEmpty();
    }

    @Test
    void a_job_that_is_handed_out_after_an_answered_ack_has_come_back() {
        history.handled("a");
        history.acked("a");
        history.handled("a");

        assertThat(history.backAfterAck()).containsExactly("a");
        assertThat(history.handledTwice()).containsExactly("a");
    }
}
