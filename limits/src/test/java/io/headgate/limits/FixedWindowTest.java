package io.headgate.limits;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FixedWindowTest {

    /** A timeline starts at a whole second. */
    private static final FixedWindow THREE_A_SECOND = Limit.fixedWindow(3, Duration.ofSeconds(1));

    @Test
    void clock_windows_start_at_multiples_of_their_length() {
        Timeline timeline = new Timeline(THREE_A_SECOND);
        timeline.at(400_000, 2).allowed(1, 600_000);
        timeline.at(999_999, 2).denied(1, 1, 1);
        timeline.at(999_999, 1).allowed(0, 1);
        timeline.at(1_000_000, 3).allowed(0, 1_000_000);
        timeline.at(1_000_000, 4).neverAllowed(0, 1_000_000);
    }

    @Test
    void a_first_request_window_starts_with_the_first_request() {
        Timeline timeline = new Timeline(THREE_A_SECOND.fromFirstRequest());
        timeline.at(400_000, 2).allowed(1, 1_000_000);
        timeline.at(1_399_999, 2).denied(1, 1, 1);
        timeline.at(1_400_000, 2).allowed(1, 1_000_000);
    }

    @Test
    void a_changed_limit_or_length_continues_from_the_count() {
        Timeline timeline = new Timeline(THREE_A_SECOND);
        timeline.at(100_000, 3).allowed(0, 900_000);
        timeline.under(Limit.fixedWindow(5, Duration.ofSeconds(1)))
                .at(100_000, 3)
                .denied(2, 900_000, 900_000);
        timeline.under(Limit.fixedWindow(5, Duration.ofSeconds(60)))
                .at(100_000, 2)
                .allowed(0, 59_900_000);
    }

    @Test
    void a_limit_of_zero_denies_everything() {
        new Timeline(Limit.fixedWindow(0, Duration.ofSeconds(1))).at(0, 1).neverAllowed(0, 0);
    }
}
