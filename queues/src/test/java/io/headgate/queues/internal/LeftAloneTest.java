package io.headgate.queues.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** For how long shards that failed are left alone. */
class LeftAloneTest {

    private final LeftAlone leftAlone = new LeftAlone();

    /** Near the end of what a clock can show, which it passes during a test. */
    private long now = Long.MAX_VALUE - Duration.ofMillis(50).toNanos();

    private void fail(Integer... shards) {
        leftAlone.failed(Set.of(shards), now, now);
    }

    /** Goes on to the end of the pause; how long that was, in milliseconds. */
    private long endOfPause() {
        long end = leftAlone.endOr(now + Duration.ofHours(1).toNanos());
        assertThat(leftAlone.ends(end - 1)).isFalse();
        assertThat(leftAlone.ends(end)).isTrue();
        long pause = end - now;
        now = end;
        return Duration.ofNanos(pause).toMillis();
    }

    @Test
    void nobody_is_left_alone_without_a_reason() {
        leftAlone.failed(Set.of(), now, now);
        assertThat(leftAlone.shards()).isEmpty();
        assertThat(leftAlone.ends(now)).isFalse();
        assertThat(leftAlone.endOr(7)).isEqualTo(7);
    }

    @Test
    void the_pause_doubles_from_20_ms_to_a_second_while_it_goes_on_failing() {
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            fail(1);
            assertThat(leftAlone.shards()).containsExactly(1);
            pauses.add(endOfPause());
            assertThat(leftAlone.shards()).isEmpty();
        }
        assertThat(pauses).containsExactly(20L, 40L, 80L, 160L, 320L, 640L, 1000L, 1000L);
    }

    @Test
    void those_that_fail_meanwhile_come_to_their_turn_with_the_first() {
        fail(1);
        now += Duration.ofMillis(15).toNanos();
        fail(2, 3);
        assertThat(leftAlone.shards()).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(endOfPause()).isEqualTo(5);
        assertThat(leftAlone.shards()).isEmpty();
    }

    @Test
    void a_second_without_a_failure_has_the_pause_begin_short_again() {
        fail(1);
        assertThat(endOfPause()).isEqualTo(20);
        now += Duration.ofSeconds(1).toNanos();
        fail(1);
        assertThat(endOfPause()).isEqualTo(40);
        now += Duration.ofSeconds(1).toNanos() + 1;
        fail(1);
        assertThat(endOfPause()).isEqualTo(20);
    }

    @Test
    void it_is_the_time_of_the_call_that_counts_not_how_long_it_took_to_fail() {
        fail(1);
        endOfPause();
        long sent = now;
        now += Duration.ofSeconds(5).toNanos();
        leftAlone.failed(Set.of(1), sent, now);
        assertThat(endOfPause()).isEqualTo(40);
    }

    @Test
    void one_that_fails_when_the_pause_was_over_begins_a_new_one() {
        fail(1);
        now += Duration.ofMillis(20).toNanos();
        fail(2);
        assertThat(leftAlone.shards()).containsExactlyInAnyOrder(1, 2);
        assertThat(endOfPause()).isEqualTo(40);
    }
}
