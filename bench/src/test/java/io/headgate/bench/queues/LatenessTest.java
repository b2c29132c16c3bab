package io.headgate.bench.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.bench.queues.Lateness.DueJob;
import org.junit.jupiter.api.Test;

/** Lateness is collected for each job of a turn, and summarized after the last one. */
class LatenessTest {

    private final Lateness lateness = new Lateness();

    @Test
    void the_last_job_of_a_turn_returns_the_summary() {
        lateness.expect(3);

        assertThat(lateness.add(new DueJob(2, 1_000), 1_700)).isEmpty();
        assertThat(lateness.add(new DueJob(0, 1_000), 990)).isEmpty();
        assertThat(lateness.add(new DueJob(1, 1_000), 1_040)).hasValue(new Lateness.Summary(40, 700, -10));
    }

    @Test
    void a_job_that_is_handled_twice_throws_an_exception() {
        lateness.expect(2);
        assertThat(lateness.add(new DueJob(1, 1_000), 1_040)).isEmpty();

        assertThatThrownBy(() -> lateness.add(new DueJob(1, 1_000), 1_050))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("job 1 was handled twice");
    }

    @Test
    void a_summary_and_a_job_survive_a_round_trip_through_their_serialized_form() {
        Lateness.Summary summary = new Lateness.Summary(40, 700, -10);
        DueJob job = new DueJob(7, 1_790_000_000_123_456L);

        assertThat(Lateness.Summary.isSummary(summary.toString())).isTrue();
        assertThat(Lateness.Summary.parse(summary.toString())).isEqualTo(summary);
        assertThat(DueJob.of(job.payload())).isEqualTo(job);
        assertThat(job.due()).isEqualTo("2026-09-21T14:13:20.123456Z");
    }
}
