package io.headgate.redis.limits.internal.fallback;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Health;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When the breaker opens and closes; times in milliseconds. */
class BreakerTest {

    private final List<Health> changes = new ArrayList<>();
    private final Breaker breaker = new Breaker((before, now, reason) -> changes.add(now));

    private static long at(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private void fail(long... millis) {
        for (long each : millis) {
            breaker.failed(at(each), "no answer");
        }
    }

    /** Opens the breaker by five failures from this time on. */
    private void open(long millis) {
        fail(millis, millis + 30, millis + 60, millis + 90, millis + 120);
        assertThat(breaker.health()).isEqualTo(Health.DEGRADED);
    }

    private boolean answerProbes(int number) {
        boolean enough = false;
        for (int i = 0; i < number; i++) {
            enough = breaker.probeAnswered();
        }
        return enough;
    }

    @Test
    void it_opens_after_five_failures_in_a_row_that_span_a_tenth_of_a_second() {
        fail(0, 30, 60, 90);
        assertThat(breaker.callsRedis()).isTrue();
        fail(99);
        assertThat(breaker.callsRedis()).isTrue();
        fail(100);
        assertThat(breaker.health()).isEqualTo(Health.DEGRADED);
        assertThat(breaker.callsRedis()).isFalse();
        assertThat(changes).containsExactly(Health.SLOW, Health.DEGRADED);
    }

    @Test
    void many_failures_at_the_same_time_do_not_open_it() {
        for (int i = 0; i < 1000; i++) {
            fail(50);
        }
        assertThat(breaker.health()).isEqualTo(Health.SLOW);
        fail(150);
        assertThat(breaker.health()).isEqualTo(Health.DEGRADED);
    }

    @Test
    void an_answer_between_failures_starts_the_count_over() {
        fail(0, 30, 60, 90);
        breaker.answered(at(100));
        fail(120, 150, 180, 210);
        assertThat(breaker.callsRedis()).isTrue();
    }

    @Test
    void it_is_slow_after_three_failures_within_a_second_and_healthy_after_a_second_without_any() {
        fail(0, 10);
        breaker.answered(at(20));
        assertThat(breaker.health()).isEqualTo(Health.HEALTHY);
        fail(30);
        breaker.answered(at(40));
        assertThat(breaker.health()).isEqualTo(Health.SLOW);
        breaker.answered(at(1029));
        assertThat(breaker.health()).isEqualTo(Health.SLOW);
        assertThat(breaker.tick(at(1030))).isFalse();
        assertThat(breaker.health()).isEqualTo(Health.HEALTHY);
        assertThat(changes).containsExactly(Health.SLOW, Health.HEALTHY);
    }

    @Test
    void without_further_calls_a_probe_decides_whether_it_is_healthy_or_degraded() {
        fail(0, 10, 20);
        assertThat(breaker.tick(at(1019))).isFalse();
        assertThat(breaker.tick(at(1020))).isTrue();
        assertThat(breaker.health()).isEqualTo(Health.SLOW);
        fail(1020);
        assertThat(breaker.tick(at(2019))).isFalse();
        assertThat(breaker.tick(at(2020))).isTrue();
        breaker.answered(at(2021));
        assertThat(breaker.health()).isEqualTo(Health.HEALTHY);
        assertThat(breaker.tick(at(9000))).isFalse();

        fail(9000, 9010, 9020);
        assertThat(breaker.tick(at(10_020))).isTrue();
        fail(10_020);
        assertThat(breaker.tick(at(11_020))).isTrue();
        fail(11_020);
        assertThat(breaker.health()).isEqualTo(Health.DEGRADED);
        assertThat(changes).containsExactly(Health.SLOW, Health.HEALTHY, Health.SLOW, Health.DEGRADED);
    }

    @Test
    void failures_far_apart_are_not_slow_but_open_it_without_an_answer_in_between() {
        fail(0, 2000, 4000, 6000);
        assertThat(breaker.health()).isEqualTo(Health.HEALTHY);
        assertThat(breaker.tick(at(9000))).isFalse();
        fail(10_000);
        assertThat(breaker.health()).isEqualTo(Health.DEGRADED);
    }

    @Test
    void three_probes_in_a_row_allow_it_to_be_closed_which_makes_it_healthy() {
        open(0);
        assertThat(answerProbes(2)).isFalse();
        assertThat(breaker.health()).isEqualTo(Health.PROBING);
        breaker.close(at(200));
        assertThat(breaker.health()).isEqualTo(Health.PROBING);
        breaker.probeFailed("no answer");
        assertThat(breaker.health()).isEqualTo(Health.DEGRADED);
        assertThat(answerProbes(2)).isFalse();
        assertThat(answerProbes(1)).isTrue();
        assertThat(breaker.callsRedis()).isFalse();
        breaker.close(at(300));
        assertThat(breaker.health()).isEqualTo(Health.HEALTHY);
        assertThat(changes)
                .containsExactly(
                        Health.SLOW, Health.DEGRADED, Health.PROBING, Health.DEGRADED, Health.PROBING, Health.HEALTHY);
    }

    @Test
    void a_breaker_that_opens_again_soon_needs_more_probes_up_to_sixteen() {
        long now = 0;
        for (int needed : new int[] {3, 6, 12, 16, 16}) {
            open(now);
            assertThat(answerProbes(needed - 1)).isFalse();
            assertThat(answerProbes(1)).isTrue();
            breaker.close(at(now + 500));
            now += 1000;
        }
        open(now + 20_000);
        assertThat(answerProbes(3)).isTrue();
    }

    @Test
    void results_of_calls_change_nothing_while_it_is_open() {
        open(0);
        breaker.answered(at(200));
        fail(300);
        breaker.tick(at(9000));
        assertThat(breaker.health()).isEqualTo(Health.DEGRADED);
        assertThat(answerProbes(3)).isTrue();
        breaker.close(at(9100));
        assertThat(answerProbes(1)).isFalse();
        breaker.probeFailed("late");
        assertThat(breaker.health()).isEqualTo(Health.HEALTHY);
    }
}
