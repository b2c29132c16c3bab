package io.headgate.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class KeepDoneTest {

    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void no_done_jobs_are_kept_by_default() {
        assertThat(QueueSettings.of("q").keepDone()).isEqualTo(KeepDone.none());
        assertThat(KeepDone.none().isAny()).isFalse();
        assertThat(KeepDone.newest(1).isAny()).isTrue();
    }

    @Test
    void setting_one_bound_sets_the_other_to_its_maximum() {
        assertThat(KeepDone.forTime(HOUR)).isEqualTo(new KeepDone(10_000_000, HOUR));
        assertThat(KeepDone.newest(5)).isEqualTo(new KeepDone(5, Duration.ofDays(3660)));
    }

    @Test
    void bounds_are_checked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeepDone.newest(0))
                .withMessage("number of done jobs to keep must be from 1 to 10000000, was 0");
        assertThatIllegalArgumentException().isThrownBy(() -> KeepDone.newest(10_000_001));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeepDone.forTime(Duration.ZERO))
                .withMessage("time to keep done jobs must be from 1 ms to 3660 days, was PT0S");
        assertThatIllegalArgumentException().isThrownBy(() -> KeepDone.forTime(Duration.ofDays(3661)));
        assertThatIllegalArgumentException().isThrownBy(() -> new KeepDone(0, HOUR));
    }
}
