package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class SlidingCounterTest {

    /** The plays begin at a whole second. */
    private static final SlidingCounter TEN_A_SECOND = Limit.slidingCounter(10, Duration.ofSeconds(1));

    @Test
    void the_window_before_weighs_as_much_as_of_it_is_left_rounded_up() {
        Play play = new Play(TEN_A_SECOND);
        play.at(900_000, 10).allowed(0, 1_100_000);
        // A quarter of the second has passed: 7.5 of 10 permits still count, as 8.
        play.at(1_250_000, 3).denied(2, 50_000, 750_000);
        play.at(1_250_000, 2).allowed(0, 1_750_000);
        play.at(1_300_000, 1).allowed(0, 1_700_000);
        play.at(2_999_999, 11).deniedForEver(9, 1);
        play.at(3_000_000, 10).allowed(0, 2_000_000);
    }

    @Test
    void a_denial_waits_for_the_next_window_when_this_one_has_no_room() {
        Play play = new Play(TEN_A_SECOND);
        play.at(200_000, 10).allowed(0, 1_800_000);
        // At the end of the first second and half of the next, 5 of the 10 count.
        play.at(200_000, 5).denied(0, 1_300_000, 1_800_000);
        play.at(1_499_999, 5).denied(4, 1, 500_001);
        play.at(1_500_000, 5).allowed(0, 1_500_000);
    }

    @Test
    void another_window_counts_what_was_charged_where_its_last_permit_lies() {
        Play play = new Play(TEN_A_SECOND);
        play.at(900_000, 4).allowed(6, 1_100_000);
        play.at(1_000_000, 2).allowed(4, 2_000_000);
        // Both lie in the present window of ten seconds.
        play.under(Limit.slidingCounter(10, Duration.ofSeconds(10)))
                .at(1_500_000, 1)
                .allowed(3, 18_500_000);
    }

    @Test
    void a_limit_of_zero_denies_everything() {
        new Play(Limit.slidingCounter(0, Duration.ofSeconds(1))).at(0, 1).deniedForEver(0, 0);
    }

    @Test
    void even_traffic_is_held_to_the_limit_but_for_rounding() {
        assertThat(mostInAWindow(step -> step * 997)).isBetween(99L, 102L);
    }

    @Test
    void a_burst_at_the_end_of_a_window_lets_less_than_twice_the_limit_pass() {
        // Asks only in the last 1000 us of each window, and evenly in the next.
        long most = mostInAWindow(step -> step < 1000 ? 999_000 + step : 1_000_000 + (step - 1000) * 997);
        assertThat(most).isBetween(180L, 199L);
    }

    /** The most that is admitted in any second, of 5000 requests at these times, under 100 a second. */
    private static long mostInAWindow(LongUnaryOperator timeOfStep) {
        AtomicLong clock = new AtomicLong();
        Deque<Long> admitted = new ArrayDeque<>();
        long most = 0;
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(clock::get).build()) {
            Limiter limiter = limits.limiter("error", Limit.slidingCounter(100, Duration.ofSeconds(1)));
            for (long step = 0; step < 5000; step++) {
                long now = 1_800_000_000_000_000L + timeOfStep.applyAsLong(step);
                clock.set(now);
                if (limiter.tryAcquire("a").allowed()) {
                    admitted.add(now);
                }
                while (!admitted.isEmpty() && admitted.getFirst() <= now - 1_000_000) {
                    admitted.removeFirst();
                }
                most = Math.max(most, admitted.size());
            }
        }
        return most;
    }
}
