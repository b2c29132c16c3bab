package io.headgate.queues.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests for how long a worker excludes shards that failed. */
class ShardBackoffTest {

    private final ShardBackoff backoff = new ShardBackoff();

    /** Close to the overflow of the clock, which happens during a test. */
    private long now = Long.MAX_VALUE - Duration.ofMillis(50).toNanos();

    private void fail(Integer... shards) {
        backoff.failed(Set.of(shards), now, now);
    }

    /** Advances to the end of the backoff; returns how long that took, in milliseconds. */
    private long advanceToEnd() {
        long end = backoff.endOr(now + Duration.ofHours(1).toNanos());
        assertThat(backoff.endIfOver(end - 1)).isFalse();
        assertThat(backoff.endIfOver(end)).isTrue();
        long waited = end - now;
        now = end;
        return Duration.ofNanos(waited).toMillis();
    }

    @Test
    void no_shard_is_excluded_without_a_failure() {
        backoff.failed(Set.of(), now, now);
        assertThat(backoff.shards()).isEmpty();
        assertThat(backoff.endIfOver(now)).isFalse();
        assertThat(backoff.endOr(7)).isEqualTo(7);
    }

    @Test
    void the_backoff_doubles_from_20_ms_to_a_second_while_a_shard_keeps_failing() {
        List<Long> backoffs = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            fail(1);
            assertThat(backoff.shards()).containsExactly(1);
            backoffs.add(advanceToEnd());
            assertThat(backoff.shards()).isEmpty();
        }
        assertThat(backoffs).containsExactly(20L, 40L, 80L, 160L, 320L, 640L, 1000L, 1000L);
    }

    @Test
    void shards_that_fail_during_the_backoff_return_with_the_first() {
        fail(1);
        now += Duration.ofMillis(15).toNanos();
        fail(2, 3);
        assertThat(backoff.shards()).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(advanceToEnd()).isEqualTo(5);
        assertThat(backoff.shards()).isEmpty();
    }

    @Test
    void the_backoff_restarts_at_20_ms_after_a_second_without_failures() {
        fail(1);
        assertThat(advanceToEnd()).isEqualTo(20);
        now += Duration.ofSeconds(1).toNanos();
        fail(1);
        assertThat(advanceToEnd()).isEqualTo(40);
        now += Duration.ofSeconds(1).toNanos() + 1;
        fail(1);
        assertThat(advanceToEnd()).isEqualTo(20);
    }

    @Test
    void the_backoff_restarts_by_the_time_when_the_call_was_sent_not_when_it_failed() {
        fail(1);
        advanceToEnd();
        long sent = now;
        now += Duration.ofSeconds(5).toNanos();
        backoff.failed(Set.of(1), sent, now);
        assertThat(advanceToEnd()).isEqualTo(40);
    }

    @Test
    void a_failure_after_the_end_of_the_backoff_starts_the_next_one() {
        fail(1);
        now += Duration.ofMillis(20).toNanos();
        fail(2);
        assertThat(backoff.shards()).containsExactlyInAnyOrder(1, 2);
        assertThat(advanceToEnd()).isEqualTo(40);
    }
}
