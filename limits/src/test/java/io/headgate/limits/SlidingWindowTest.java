package io.headgate.limits;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SlidingWindowTest {

    private static final Limit THREE_IN_10_MS = Limit.slidingWindow(3, Duration.ofMillis(10));

    @Test
    void a_permit_leaves_exactly_one_window_after_it_was_admitted() {
        Play play = new Play(THREE_IN_10_MS);
        play.at(0, 1).allowed(2, 10_000);
        play.at(4_000, 1).allowed(1, 10_000);
        play.at(4_000, 1).allowed(0, 10_000); // the same microsecond: another request
        play.at(9_999, 1).denied(0, 1, 4_001);
        play.at(10_000, 1).allowed(0, 10_000);
        play.at(13_999, 1).denied(0, 1, 6_001);
        play.at(14_000, 2).allowed(0, 10_000);
    }

    @Test
    void a_request_for_several_waits_until_enough_have_left() {
        Play play = new Play(THREE_IN_10_MS);
        play.at(0, 1).allowed(2, 10_000);
        play.at(2_000, 1).allowed(1, 10_000);
        play.at(5_000, 2).denied(1, 5_000, 7_000);
        play.at(5_000, 3).denied(1, 7_000, 7_000);
        play.at(5_000, 4).deniedForEver(1, 7_000);
        play.at(5_000, Long.MAX_VALUE).deniedForEver(1, 7_000);
        play.at(12_000, 3).allowed(0, 10_000);
    }

    @Test
    void a_limit_that_shrinks_and_grows_again_forgets_nothing() {
        Play play = new Play(Limit.slidingWindow(100, Duration.ofMillis(10)));
        play.at(0, 90).allowed(10, 10_000);
        play.under(Limit.slidingWindow(10, Duration.ofMillis(10))).at(1, 1).denied(0, 9_999, 9_999);
        play.under(Limit.slidingWindow(100, Duration.ofMillis(10))).at(2, 11).denied(10, 9_998, 9_998);
        play.at(3, 10).allowed(0, 10_000);
    }

    @Test
    void a_longer_window_counts_what_a_shorter_one_still_held() {
        Play play = new Play(THREE_IN_10_MS);
        play.at(0, 2).allowed(1, 10_000);
        play.under(Limit.slidingWindow(3, Duration.ofSeconds(1))).at(9_000, 1).allowed(0, 1_000_000);
        play.at(20_000, 1).denied(0, 980_000, 989_000);
    }

    @Test
    void time_stands_still_for_a_key_while_the_clock_is_behind_its_last_charge() {
        Play play = new Play(THREE_IN_10_MS);
        play.at(3_600_000_000L, 2).allowed(1, 10_000);
        play.at(0, 1).allowed(0, 3_600_010_000L);
        play.at(0, 1).denied(0, 3_600_010_000L, 3_600_010_000L);
        play.at(3_600_010_000L, 3).allowed(0, 10_000);
    }

    @Test
    void a_limit_of_zero_denies_everything() {
        new Play(Limit.slidingWindow(0, Duration.ofMillis(1))).at(0, 1).deniedForEver(0, 0);
    }
}
