package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class SlidingCounterTest {

    /** A timeline starts at a multiple of ten seconds. */
    private static final SlidingCounter TEN_A_SECOND = Limit.slidingCounter(10, Duration.ofSeconds(1));

    @Test
    void the_previous_window_counts_by_its_covered_fraction_rounded_up() {
        Timeline timeline = new Timeline(TEN_A_SECOND);
        timeline.at(900_000, 10).allowed(0, 1_100_000);
        // A quarter of the second has passed: 7.5 of 10 permits still count, as 8.
        timeline.at(1_250_000, 3).denied(2, 50_000, 750_000);
        timeline.at(1_250_000, 2).allowed(0, 1_750_000);
        timeline.at(1_300_000, 1).allowed(0, 1_700_000);
        timeline.at(2_999_999, 11).neverAllowed(9, 1);
        timeline.at(3_000_000, 10).allowed(0, 2_000_000);
    }

    @Test
    void a_retry_after_extends_into_the_next_window_if_the_current_one_has_no_room() {
        Timeline timeline = new Timeline(TEN_A_SECOND);
        timeline.at(200_000, 10).allowed(0, 1_800_000);
        // After the first second and half of the next one, 5 of the 10 permits count.
        timeline.at(200_000, 5).denied(0, 1_300_000, 1_800_000);
        timeline.at(1_499_999, 5).denied(4, 1, 500_001);
        timeline.at(1_500_000, 5).allowed(0, 1_500_000);
    }

    @Test
    void a_longer_window_counts_the_charges_of_both_windows_in_its_current_one() {
        Timeline timeline = new Timeline(TEN_A_SECOND);
        timeline.at(900_000, 4).allowed(6, 1_100_000);
        timeline.at(1_000_000, 2).allowed(4, 2_000_000);
        // Both charges are in the current window of ten seconds.
        timeline.under(Limit.slidingCounter(10, Duration.ofSeconds(10)))
                .at(1_500_000, 1)
                .allowed(3, 18_500_000);
    }

    @Test
    void a_shorter_window_counts_the_older_charges_at_the_end_of_their_window() {
        Timeline timeline = new Timeline(TEN_A_SECOND);
        timeline.at(100_000, 4).allowed(6, 1_900_000);
        timeline.at(1_050_000, 2).allowed(4, 1_950_000);
        // The 2 are in the window from 1 s to 1.5 s, and the 4 in the one before, of which 0.8 still count: 3.2,
        // rounded up.
        timeline.under(Limit.slidingCounter(10, Duration.ofMillis(500)))
                .at(1_100_000, 1)
                .allowed(3, 900_000);
    }

    @Test
    void a_limit_of_zero_denies_everything() {
        new Timeline(Limit.slidingCounter(0, Duration.ofSeconds(1))).at(0, 1).neverAllowed(0, 0);
    }

    @Test
    void even_traffic_is_limited_exactly_except_for_rounding() {
        assertThat(mostInAWindow(step -> step * 997)).isBetween(99L, 102L);
    }

    @Test
    void a_burst_at_the_end_of_a_window_admits_less_than_twice_the_limit() {
        // 1000 requests come in the last 1000 us of a window, the others evenly in the next four windows.
        long most = mostInAWindow(step -> step < 1000 ? 999_000 + step : 1_000_000 + (step - 1000) * 997);
        assertThat(most).isBetween(180L, 199L);
    }

    /** Returns the most permits admitted in any second, of 5000 requests at these times, under a limit of 100 per second. */
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
