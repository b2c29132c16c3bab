package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.KeepDone;
import io.headgate.queues.QueueSettings;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which shards are asked, and when; and what each shard is given of a whole. */
class ShardTimesTest {

    private static final long SECOND_MICROS = 1_000_000;
    private static final long NEVER_MICROS = Long.MAX_VALUE;

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1000);
    private final ShardTimes times = new ShardTimes(4, 3, nanos::get);

    private void hadNothing(int... shards) {
        for (int shard : shards) {
            times.answered(shard, times.signals(shard), NEVER_MICROS);
        }
    }

    private void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void each_is_the_first_in_turn() {
        assertThat(times.toAsk(false, Set.of())).containsExactly(0, 1, 2, 3);
        assertThat(times.toAsk(true, Set.of())).containsExactly(1, 2, 3, 0);
        assertThat(times.toAsk(false, Set.of())).containsExactly(2, 3, 0, 1);
    }

    @Test
    void those_that_have_jobs_take_turns_evenly_whatever_lies_between_them() {
        times.listening(1);
        hadNothing(1, 2);
        List<Integer> first = IntStream.range(0, 4)
                .mapToObj(i -> times.toAsk(false, Set.of()).get(0))
                .toList();
        assertThat(first).containsExactly(0, 3, 0, 3);
    }

    @Test
    void one_that_had_nothing_is_asked_again_when_it_may_have_and_after_a_second() {
        times.listening(1);
        hadNothing(0, 1, 2);
        times.answered(3, times.signals(3), 1000);
        assertThat(times.moreInMicros(Set.of())).isEqualTo(1000);
        assertThat(times.toAsk(false, Set.of())).isEmpty();
        advance(Duration.ofMillis(1).minusNanos(1));
        assertThat(times.moreInMicros(Set.of())).isEqualTo(1);
        assertThat(times.toAsk(false, Set.of())).isEmpty();
        advance(Duration.ofNanos(1));
        assertThat(times.moreInMicros(Set.of())).isZero();
        assertThat(times.toAsk(false, Set.of())).containsExactly(3);
        hadNothing(3);
        advance(Duration.ofMillis(999));
        assertThat(times.toAsk(false, Set.of())).containsExactly(0, 1, 2);
    }

    @Test
    void those_that_are_left_alone_are_not_asked_and_nobody_comes_back_for_them() {
        assertThat(times.toAsk(false, Set.of(1, 3))).containsExactly(0, 2);
        assertThat(times.toAsk(true, Set.of(0, 1, 2, 3))).isEmpty();
        hadNothing(0, 2);
        assertThat(times.moreInMicros(Set.of())).isZero();
        assertThat(times.moreInMicros(Set.of(1, 3))).isEqualTo(SECOND_MICROS);
    }

    @Test
    void one_that_failed_is_in_doubt_until_it_answers() {
        times.failed(2);
        assertThat(IntStream.range(0, 4).filter(times::hasFailed)).containsExactly(2);
        assertThat(times.toAsk(false, Set.of())).hasSize(4);
        hadNothing(2);
        assertThat(times.hasFailed(2)).isFalse();
    }

    @Test
    void one_that_signals_is_asked_at_once() {
        times.listening(1);
        hadNothing(0, 1, 2, 3);
        times.signalled(2);
        assertThat(times.moreInMicros(Set.of())).isZero();
        assertThat(times.toAsk(false, Set.of())).containsExactly(2);
    }

    @Test
    void an_answer_from_before_a_signal_does_not_undo_it() {
        times.listening(1);
        hadNothing(0, 1, 3);
        long before = times.signals(2);
        times.signalled(2);
        times.answered(2, before, SECOND_MICROS);
        assertThat(times.toAsk(false, Set.of())).containsExactly(2);
    }

    @Test
    void all_are_asked_while_nobody_listens() {
        hadNothing(0, 1, 2, 3);
        assertThat(times.toAsk(false, Set.of())).hasSize(4);
        times.listening(1);
        assertThat(times.toAsk(false, Set.of())).isEmpty();
        times.listening(-1);
        assertThat(times.toAsk(false, Set.of())).hasSize(4);
    }

    @Test
    void a_key_belongs_to_the_shard_that_its_crc_names() {
        assertThat(Shards.ofKey("a", 64)).isEqualTo((int) (0xE8B7BE43L % 64));
        assertThat(Shards.ofKey("123456789", 10)).isEqualTo((int) (0xCBF43926L % 10));
        assertThat(Shards.ofKey("ö", 7)).isBetween(0, 6);
    }

    @Test
    void each_shard_has_its_part_of_what_the_queue_may_have() {
        QueueSettings whole =
                QueueSettings.of("orders").withMaxJobs(10).withShards(4).withKeepDone(KeepDone.newest(5));
        assertThat(IntStream.range(0, 4)
                        .mapToObj(shard -> Shards.part(whole, 4, shard).maxJobs()))
                .containsExactly(3L, 3L, 2L, 2L);
        assertThat(Shards.part(whole, 4, 3).keepDone().most()).isEqualTo(2);
        assertThat(Shards.part(whole.withKeepDone(KeepDone.none()), 4, 0).keepDone())
                .isEqualTo(KeepDone.none());
        // Where a queue has more shards than it was opened with, each takes one job at least.
        assertThat(Shards.part(whole, 64, 63).maxJobs()).isEqualTo(1);
    }

    @Test
    void a_shard_that_is_added_is_asked_at_once() {
        times.listening(1);
        for (int shard = 0; shard < 4; shard++) {
            times.answered(shard, 0, Long.MAX_VALUE);
        }
        assertThat(times.toAsk(false, Set.of())).isEmpty();
        times.grow(6);
        assertThat(times.moreInMicros(Set.of())).isZero();
        assertThat(times.toAsk(false, Set.of())).containsExactly(4, 5);
        times.grow(5);
        assertThat(times.toAsk(true, Set.of())).hasSize(6);
    }
}
