package io.headgate.queues.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.worker.PollResult;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A worker waits for at most a second, whatever time its source returns. */
class PollScheduleTest {

    private final PollSchedule schedule = new PollSchedule();

    @ParameterizedTest
    @ValueSource(longs = {1_000_000, 10_000_000_000_000_000L, Long.MAX_VALUE})
    void the_next_poll_is_due_after_a_second_if_more_jobs_are_due_later(long moreInMicros) {
        schedule.claimSent();
        schedule.claimed(moreInMicros, 0);
        assertThat(schedule.isClaimDue(PollSchedule.MAX_WAIT_NANOS - 1)).isFalse();
        assertThat(schedule.isClaimDue(PollSchedule.MAX_WAIT_NANOS)).isTrue();
    }

    @Test
    void the_next_poll_is_due_when_more_jobs_are_due_sooner() {
        schedule.claimSent();
        schedule.claimed(2, 0);
        assertThat(schedule.isClaimDue(1999)).isFalse();
        assertThat(schedule.isClaimDue(2000)).isTrue();
    }

    @Test
    void a_negative_time_is_rejected() {
        assertThatThrownBy(() -> PollResult.empty().withMoreInMicros(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("moreInMicros must be 0 or more, was -1");
        assertThatThrownBy(() -> new PollResult<>(List.of(), Long.MIN_VALUE, List.of()))
                .hasMessageContaining("moreInMicros must be 0 or more");
        assertThat(PollResult.empty().withMoreInMicros(0).moreInMicros()).isZero();
    }
}
