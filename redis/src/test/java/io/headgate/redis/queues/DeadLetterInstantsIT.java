package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.DeadLetter;
import io.headgate.queues.DeadLetterIds;
import io.headgate.queues.DeadLetters;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.Priority;
import io.headgate.queues.QueueFullException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.Cursor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Calls for a dead letter that died at a given instant, with a clock that the test advances. */
class DeadLetterInstantsIT {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration MICRO = Duration.ofNanos(1000);

    @RegisterExtension
    final OwnQueues redis = new OwnQueues();

    private static void bury(JobQueue<String> queue) {
        queue.claim(100, LEASE).forEach(lease -> lease.deadLetter("no use"));
    }

    /** Lets a job die, be redriven, and die again a microsecond later. */
    private JobId buryTwice(JobQueue<String> queue) {
        JobId id = queue.enqueue(NewJob.of("a").once("a")).id();
        bury(queue);
        redis.clock.advance(MICRO);
        assertThat(queue.deadLetters().redrive(id)).isTrue();
        bury(queue);
        return id;
    }

    @Test
    void a_call_for_an_earlier_death_changes_nothing() {
        JobQueue<String> queue = redis.queue();
        JobId id = buryTwice(queue);
        DeadLetters<String> letters = queue.deadLetters();
        Map<String, String> before = redis.stored();

        for (Instant other : List.of(
                OwnQueues.START,
                OwnQueues.START.plus(MICRO.multipliedBy(2)),
                OwnQueues.START.plus(MICRO).minusNanos(1),
                Instant.EPOCH,
                Instant.MIN,
                Instant.MAX)) {
            assertThat(letters.find(id, other)).isEmpty();
            assertThat(letters.discard(id, other)).isFalse();
            assertThat(letters.redrive(id, other)).isFalse();
        }
        assertThat(redis.stored()).isEqualTo(before);

        Instant diedAt = OwnQueues.START.plus(MICRO);
        assertThat(letters.find(id, diedAt)).contains(letters.list(1).items().get(0));
        assertThat(letters.discard(id, diedAt)).isTrue();
        assertThat(letters.find(id, diedAt)).isEmpty();
        assertThat(letters.discard(id, diedAt)).isFalse();
        assertThat(redis.probe.command("KEYS", "hg:q:*")).isEqualTo(List.of("hg:q:{orders}"));
    }

    @Test
    void a_redrive_of_the_last_death_is_as_any_other() {
        JobQueue<String> queue = redis.queue();
        JobId id = buryTwice(queue);
        assertThat(queue.deadLetters().redrive(id, OwnQueues.START.plus(MICRO))).isTrue();
        assertThat(queue.counts().ready()).isEqualTo(1);
        assertThat(queue.counts().dead()).isZero();
        assertThat(queue.deadLetters().redrive(id, OwnQueues.START.plus(MICRO))).isFalse();
        assertThat(queue.enqueue(NewJob.of("b").once("a")).id()).isEqualTo(id);
    }

    @Test
    void the_ids_of_dead_letters_are_those_of_their_list() {
        JobQueue<String> queue = redis.queue(QueueSettings.of("orders").withShards(3));
        for (int i = 0; i < 10; i++) {
            queue.enqueue("plain" + i);
            queue.enqueue(
                    NewJob.of("job" + i).tenant("t" + i % 2).once("key" + i).header("a", "b"));
            queue.enqueue(NewJob.of("job" + i).tenant("tenant" + i).priority(Priority.HIGH));
            queue.enqueue(NewJob.of("job" + i).header("a", "b").header("c", ""));
        }
        bury(queue);
        assertThat(queue.deadLetters().redriveOldest(20, Duration.ZERO)).isEqualTo(20);
        redis.clock.advance(MICRO);
        bury(queue);

        List<DeadLetterIds.Id> listed = queue.deadLetters().list(100).items().stream()
                .map(dead -> new DeadLetterIds.Id(dead.job().id(), dead.diedAt()))
                .toList();
        assertThat(listed).hasSize(40);
        List<DeadLetterIds.Id> ids = new ArrayList<>();
        Optional<Cursor> next = Optional.of(Cursor.START);
        while (next.isPresent()) {
            DeadLetterIds page = queue.deadLetters().ids(next.get(), 7);
            assertThat(page.failure()).isEmpty();
            ids.addAll(page.ids());
            next = page.next();
        }
        assertThat(ids).isEqualTo(listed);
    }

    @Test
    void a_page_of_ids_does_not_contain_payloads() {
        JobQueue<String> queue = redis.queue();
        queue.enqueue(NewJob.of("x".repeat(50_000)).header("a", "y".repeat(500)));
        bury(queue);
        long before = sentBytes();
        assertThat(queue.deadLetters().ids(Cursor.START, 10).ids()).hasSize(1);
        long afterIds = sentBytes();
        assertThat(queue.deadLetters().list(10).items()).hasSize(1);
        assertThat(sentBytes() - afterIds).isGreaterThan(50_000);
        // With the replies to this test's own questions.
        assertThat(afterIds - before).isLessThan(20_000);
    }

    private long sentBytes() {
        String info = String.valueOf(redis.probe.command("INFO", "stats"));
        return info.lines()
                .filter(line -> line.startsWith("total_net_output_bytes:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_full_queue_rejects_only_a_redrive_of_the_last_death() {
        JobQueue<String> queue = redis.queue(QueueSettings.of("orders").withMaxJobs(1));
        JobId id = buryTwice(queue);
        queue.enqueue("fills the queue");
        assertThat(queue.deadLetters().redrive(id, OwnQueues.START)).isFalse();
        assertThatThrownBy(() -> queue.deadLetters().redrive(id, OwnQueues.START.plus(MICRO)))
                .isInstanceOf(QueueFullException.class);
    }

    @Test
    void each_of_many_dead_letters_of_one_instant_is_found_in_all_shards() {
        JobQueue<String> queue = redis.queue(QueueSettings.of("orders").withShards(3));
        Map<JobId, String> payloads = new HashMap<>();
        for (int i = 0; i < 30; i++) {
            payloads.put(queue.enqueue("job" + i).id(), "job" + i);
        }
        bury(queue);
        JobId waiting = queue.enqueue("waits").id();

        payloads.forEach((id, payload) -> {
            DeadLetter<String> found =
                    queue.deadLetters().find(id, OwnQueues.START).orElseThrow();
            assertThat(found.job().id()).isEqualTo(id);
            assertThat(found.job().payload()).isEqualTo(payload);
            assertThat(found.diedAt()).isEqualTo(OwnQueues.START);
        });
        assertThat(queue.deadLetters().find(waiting, OwnQueues.START)).isEmpty();
        JobId unknown = new JobId("04" + waiting.value().substring(2));
        assertThat(queue.deadLetters().find(unknown, OwnQueues.START)).isEmpty();
        assertThat(queue.deadLetters().discard(unknown, OwnQueues.START)).isFalse();
        assertThat(queue.deadLetters().redrive(unknown, OwnQueues.START)).isFalse();
        JobId one = payloads.keySet().iterator().next();
        assertThat(queue.deadLetters().discard(one, OwnQueues.START)).isTrue();
        assertThat(queue.counts().dead()).isEqualTo(29);
    }
}
