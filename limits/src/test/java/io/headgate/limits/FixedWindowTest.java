package io.headgate.limits;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FixedWindowTest {

    /** The plays begin at a whole second. */
    private static final FixedWindow THREE_A_SECOND = Limit.fixedWindow(3, Duration.ofSeconds(1));

    @Test
    void windows_of_the_clock_begin_at_multiples_of_their_length() {
        Play play = new Play(THREE_A_SECOND);
        play.at(400_000, 2).allowed(1, 600_000);
        play.at(999_999, 2).denied(1, 1, 1);
        play.at(999_999, 1).allowed(0, 1);
        play.at(1_000_000, 3).allowed(0, 1_000_000);
        play.at(1_000_000, 4).deniedForEver(0, 1_000_000);
    }

    @Test
    void a_window_of_the_first_request_begins_with_it() {
        Play play = new Play(THREE_A_SECOND.fromFirstRequest());
        play.at(400_000, 2).allowed(1, 1_000_000);
        play.at(1_399_999, 2).denied(1, 1, 1);
        play.at(1_400_000, 2).allowed(1, 1_000_000);
    }

    @Test
    void another_limit_or_length_continues_from_the_count() {
        Play play = new Play(THREE_A_SECOND);
        play.at(100_000, 3).allowed(0, 900_000);
        play.under(Limit.fixedWindow(5, Duration.ofSeconds(1))).at(100_000, 3).denied(2, 900_000, 900_000);
        play.under(Limit.fixedWindow(5, Duration.ofSeconds(60))).at(100_000, 2).allowed(0, 59_900_000);
    }

    @Test
    void a_limit_of_zero_denies_everything() {
        new Play(Limit.fixedWindow(0, Duration.ofSeconds(1))).at(0, 1).deniedForEver(0, 0);
    }
}
