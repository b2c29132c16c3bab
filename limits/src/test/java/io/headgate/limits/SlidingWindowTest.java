package io.headgate.limits;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SlidingWindowTest {

    private static final Limit THREE_IN_10_MS = Limit.slidingWindow(3, Duration.ofMillis(10));

    @Test
    void a_permit_leaves_exactly_one_window_after_it_was_admitted() {
        Timeline timeline = new Timeline(THREE_IN_10_MS);
        timeline.at(0, 1).allowed(2, 10_000);
        timeline.at(4_000, 1).allowed(1, 10_000);
        timeline.at(4_000, 1).allowed(0, 10_000); // the same microsecond: another request
        timeline.at(9_999, 1).denied(0, 1, 4_001);
        timeline.at(10_000, 1).allowed(0, 10_000);
        timeline.at(13_999, 1).denied(0, 1, 6_001);
        timeline.at(14_000, 2).allowed(0, 10_000);
    }

    @Test
    void a_request_for_several_permits_waits_until_enough_have_left_the_window() {
        Timeline timeline = new Timeline(THREE_IN_10_MS);
        timeline.at(0, 1).allowed(2, 10_000);
        timeline.at(2_000, 1).allowed(1, 10_000);
        timeline.at(5_000, 2).denied(1, 5_000, 7_000);
        timeline.at(5_000, 3).denied(1, 7_000, 7_000);
        timeline.at(5_000, 4).neverAllowed(1, 7_000);
        timeline.at(5_000, Long.MAX_VALUE).neverAllowed(1, 7_000);
        timeline.at(12_000, 3).allowed(0, 10_000);
    }

    @Test
    void a_limit_that_shrinks_and_grows_again_keeps_all_admissions() {
        Timeline timeline = new Timeline(Limit.slidingWindow(100, Duration.ofMillis(10)));
        timeline.at(0, 90).allowed(10, 10_000);
        timeline.under(Limit.slidingWindow(10, Duration.ofMillis(10))).at(1, 1).denied(0, 9_999, 9_999);
        timeline.under(Limit.slidingWindow(100, Duration.ofMillis(10)))
                .at(2, 11)
                .denied(10, 9_998, 9_998);
        timeline.at(3, 10).allowed(0, 10_000);
    }

    @Test
    void a_longer_window_counts_the_permits_that_a_shorter_one_still_counted() {
        Timeline timeline = new Timeline(THREE_IN_10_MS);
        timeline.at(0, 2).allowed(1, 10_000);
        timeline.under(Limit.slidingWindow(3, Duration.ofSeconds(1)))
                .at(9_000, 1)
                .allowed(0, 1_000_000);
        timeline.at(20_000, 1).denied(0, 980_000, 989_000);
    }

    @Test
    void time_stands_still_for_a_key_while_the_clock_is_behind_its_last_charge() {
        Timeline timeline = new Timeline(THREE_IN_10_MS);
        timeline.at(3_600_000_000L, 2).allowed(1, 10_000);
        timeline.at(0, 1).allowed(0, 3_600_010_000L);
        timeline.at(0, 1).denied(0, 3_600_010_000L, 3_600_010_000L);
        timeline.at(3_600_010_000L, 3).allowed(0, 10_000);
    }

    @Test
    void a_limit_of_zero_denies_everything() {
        new Timeline(Limit.slidingWindow(0, Duration.ofMillis(1))).at(0, 1).neverAllowed(0, 0);
    }
}
