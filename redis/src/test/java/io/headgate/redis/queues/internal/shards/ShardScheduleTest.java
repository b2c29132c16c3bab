package io.headgate.redis.queues.internal.shards;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which shards are polled, when, and in which order. */
class ShardScheduleTest {

    private static final long SECOND_MICROS = 1_000_000;
    private static final long NEVER_MICROS = Long.MAX_VALUE;

    /** A clock that overflows soon, as System.nanoTime() may. */
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1000);
    /** A schedule of four shards, whose first poll starts with the shard after 3, that is with 0. */
    private final ShardSchedule schedule = new ShardSchedule(4, 3, nanos::get);

    private void recordEmptyPolls(int... shards) {
        for (int shard : shards) {
            schedule.polled(shard, schedule.signals(shard), NEVER_MICROS);
        }
    }

    private void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void each_poll_starts_with_another_shard() {
        assertThat(schedule.toPoll(false, Set.of())).containsExactly(0, 1, 2, 3);
        assertThat(schedule.toPoll(true, Set.of())).containsExactly(1, 2, 3, 0);
        assertThat(schedule.toPoll(false, Set.of())).containsExactly(2, 3, 0, 1);
    }

    @Test
    void shards_with_jobs_alternate_evenly_although_empty_shards_are_between_them() {
        schedule.addSubscribers(1);
        recordEmptyPolls(1, 2);
        List<Integer> first = IntStream.range(0, 4)
                .mapToObj(i -> schedule.toPoll(false, Set.of()).get(0))
                .toList();
        assertThat(first).containsExactly(0, 3, 0, 3);
    }

    @Test
    void an_empty_shard_is_polled_when_it_may_have_jobs_and_after_a_second() {
        schedule.addSubscribers(1);
        recordEmptyPolls(0, 1, 2);
        schedule.polled(3, schedule.signals(3), 1000);
        assertThat(schedule.moreInMicros(Set.of())).isEqualTo(1000);
        assertThat(schedule.toPoll(false, Set.of())).isEmpty();
        advance(Duration.ofMillis(1).minusNanos(1));
        assertThat(schedule.moreInMicros(Set.of())).isEqualTo(1);
        assertThat(schedule.toPoll(false, Set.of())).isEmpty();
        advance(Duration.ofNanos(1));
        assertThat(schedule.moreInMicros(Set.of())).isZero();
        assertThat(schedule.toPoll(false, Set.of())).containsExactly(3);
        recordEmptyPolls(3);
        advance(Duration.ofMillis(999));
        assertThat(schedule.toPoll(false, Set.of())).containsExactly(0, 1, 2);
    }

    @Test
    void excluded_shards_are_not_polled_and_do_not_shorten_the_wait() {
        assertThat(schedule.toPoll(false, Set.of(1, 3))).containsExactly(0, 2);
        assertThat(schedule.toPoll(true, Set.of(0, 1, 2, 3))).isEmpty();
        recordEmptyPolls(0, 2);
        assertThat(schedule.moreInMicros(Set.of())).isZero();
        assertThat(schedule.moreInMicros(Set.of(1, 3))).isEqualTo(SECOND_MICROS);
    }

    @Test
    void a_failed_shard_is_marked_as_failed_until_a_poll_succeeds() {
        schedule.failed(2);
        assertThat(IntStream.range(0, 4).filter(schedule::hasFailed)).containsExactly(2);
        assertThat(schedule.toPoll(false, Set.of())).hasSize(4);
        recordEmptyPolls(2);
        assertThat(schedule.hasFailed(2)).isFalse();
    }

    @Test
    void a_shard_that_signals_is_polled_immediately() {
        schedule.addSubscribers(1);
        recordEmptyPolls(0, 1, 2, 3);
        schedule.signalled(2);
        assertThat(schedule.moreInMicros(Set.of())).isZero();
        assertThat(schedule.toPoll(false, Set.of())).containsExactly(2);
    }

    @Test
    void a_poll_from_before_a_signal_does_not_cancel_it() {
        schedule.addSubscribers(1);
        recordEmptyPolls(0, 1, 3);
        long before = schedule.signals(2);
        schedule.signalled(2);
        schedule.polled(2, before, SECOND_MICROS);
        assertThat(schedule.toPoll(false, Set.of())).containsExactly(2);
    }

    @Test
    void all_shards_are_polled_while_there_are_no_subscribers() {
        recordEmptyPolls(0, 1, 2, 3);
        assertThat(schedule.toPoll(false, Set.of())).hasSize(4);
        schedule.addSubscribers(1);
        assertThat(schedule.toPoll(false, Set.of())).isEmpty();
        schedule.addSubscribers(-1);
        assertThat(schedule.toPoll(false, Set.of())).hasSize(4);
    }

    @Test
    void an_added_shard_is_polled_immediately() {
        schedule.addSubscribers(1);
        for (int shard = 0; shard < 4; shard++) {
            schedule.polled(shard, 0, Long.MAX_VALUE);
        }
        assertThat(schedule.toPoll(false, Set.of())).isEmpty();
        schedule.grow(6);
        assertThat(schedule.moreInMicros(Set.of())).isZero();
        assertThat(schedule.toPoll(false, Set.of())).containsExactly(4, 5);
        schedule.grow(5);
        assertThat(schedule.toPoll(true, Set.of())).hasSize(6);
    }
}
