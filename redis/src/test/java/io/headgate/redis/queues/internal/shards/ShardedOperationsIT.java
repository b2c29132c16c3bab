package io.headgate.redis.queues.internal.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.DeadLetter;
import io.headgate.queues.DeadLetterIds;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.redis.queues.OwnQueues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Lookups, redrives, purges and audits of one queue over several shards. */
class ShardedOperationsIT {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int SHARDS = 4;
    private static final QueueSettings SETTINGS = QueueSettings.of("orders").withShards(SHARDS);

    @RegisterExtension
    final OwnQueues redis = new OwnQueues();

    private JobQueue<String> queue() {
        return redis.queue(SETTINGS);
    }

    /** Returns the shard of a job, which is the first byte of its id. */
    private static int shard(JobId id) {
        return Integer.parseInt(id.value().substring(0, 2), 16);
    }

    private List<JobId> enqueue(int jobs) {
        JobQueue<String> queue = queue();
        return IntStream.range(0, jobs)
                .mapToObj(i -> queue.enqueue("job" + i).id())
                .toList();
    }

    private void assertCounts(long ready, long delayed, long leased, long dead) {
        QueueCounts counts = queue().counts();
        assertThat(List.of(counts.ready(), counts.delayed(), counts.leased(), counts.dead()))
                .containsExactly(ready, delayed, leased, dead);
    }

    private List<JobId> createDeadLetters(int jobs) {
        List<JobId> ids = new ArrayList<>();
        JobQueue<String> queue = queue();
        for (int i = 0; i < jobs; i++) {
            ids.add(queue.enqueue("job" + i).id());
            assertThat(queue.claim(1, LEASE).get(0).deadLetter("no")).isEqualTo(Settled.DONE);
            redis.clock.advance(Duration.ofSeconds(1));
        }
        return ids;
    }

    @Test
    void a_job_is_found_and_changed_by_its_id_in_every_shard() {
        for (JobId id : enqueue(SHARDS)) {
            StoredJob<String> found = queue().find(id).orElseThrow();
            assertThat(found.job().id()).isEqualTo(id);
            assertThat(queue().reschedule(id, MINUTE)).isTrue();
            assertThat(queue().runNow(id)).isTrue();
            assertThat(queue().cancel(id)).isTrue();
            assertThat(queue().find(id)).isEmpty();
        }
        assertCounts(0, 0, 0, 0);
    }

    @Test
    void an_id_of_a_shard_that_does_not_exist_matches_no_job() {
        JobId unknown = new JobId("04" + queue().enqueue("a").id().value().substring(2));
        assertThat(queue().find(unknown)).isEmpty();
        assertThat(queue().cancel(unknown)).isFalse();
        assertThat(queue().runNow(unknown)).isFalse();
        assertThat(queue().deadLetters().redrive(unknown)).isFalse();
        assertThat(queue().deadLetters().discard(unknown)).isFalse();
    }

    @Test
    void dead_letters_are_listed_page_by_page_each_once() {
        List<JobId> ids = createDeadLetters(10);
        List<JobId> shown = new ArrayList<>();
        Optional<Cursor> next = Optional.of(Cursor.START);
        while (next.isPresent()) {
            Page<DeadLetter<String>> page = queue().deadLetters().list(next.get(), 3);
            assertThat(page.items()).hasSizeLessThanOrEqualTo(3);
            page.items().forEach(letter -> shown.add(letter.job().id()));
            next = page.next();
        }
        assertThat(shown).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(shown.stream().map(ShardedOperationsIT::shard)).isSorted();
    }

    @Test
    void a_shard_that_fails_ends_a_page_of_ids_and_the_next_page_starts_with_the_following_shard() {
        List<JobId> ids = createDeadLetters(12);
        redis.probe.command("SET", "hg:q:{orders:1}:dead", "of another program");
        List<JobId> found = new ArrayList<>();
        List<QueueException> failures = new ArrayList<>();
        Optional<Cursor> next = Optional.of(Cursor.START);
        while (next.isPresent()) {
            DeadLetterIds page = queue().deadLetters().ids(next.get(), 2);
            page.ids().forEach(id -> found.add(id.jobId()));
            page.failure().ifPresent(failures::add);
            next = page.next();
        }
        assertThat(found)
                .containsExactlyInAnyOrderElementsOf(
                        ids.stream().filter(id -> shard(id) != 1).toList());
        assertThat(failures).singleElement().satisfies(failure -> assertThat(failure)
                .hasMessageContaining("hg:q:{orders:1}"));
        assertThatThrownBy(() -> queue().deadLetters().list(100)).isInstanceOf(QueueException.class);
    }

    @Test
    void dead_letters_are_redriven_by_id_or_the_oldest_of_all_shards_first() {
        List<JobId> ids = createDeadLetters(10);
        assertThat(queue().deadLetters().redrive(ids.get(9))).isTrue();
        assertThat(queue().deadLetters().redrive(ids.get(9))).isFalse();
        assertThat(queue().deadLetters().redriveOldest(3, Duration.ZERO)).isEqualTo(3);
        assertThat(queue().claim(10, LEASE))
                .extracting(Lease::id)
                .containsExactlyInAnyOrder(ids.get(0), ids.get(1), ids.get(2), ids.get(9));
        assertThat(queue().deadLetters().redriveOldest(6, MINUTE)).isEqualTo(6);
        assertThat(queue().deadLetters().redriveOldest(6, MINUTE)).isZero();
        assertCounts(4, 2, 4, 0);
    }

    @Test
    void dead_letters_are_redriven_only_as_far_as_their_shards_have_room() {
        createDeadLetters(10);
        JobQueue<String> small = redis.queue(SETTINGS.withMaxJobs(SHARDS));
        int redriven = small.deadLetters().redriveOldest(10, Duration.ZERO);
        assertThat(redriven).isBetween(1, SHARDS);
        assertCounts(redriven, 0, 0, 10 - redriven);
    }

    @Test
    void the_oldest_dead_letters_of_all_shards_are_discarded_first() {
        List<JobId> ids = createDeadLetters(6);
        assertThat(queue().deadLetters().discard(ids.get(5))).isTrue();
        assertThat(queue().deadLetters().discardOldest(2)).isEqualTo(2);
        assertThat(queue().deadLetters().list(10).items())
                .extracting(letter -> letter.job().id())
                .containsExactlyInAnyOrder(ids.get(2), ids.get(3), ids.get(4));
        assertThat(queue().deadLetters().discardOldest(10)).isEqualTo(3);
    }

    @Test
    void a_purge_removes_jobs_of_all_shards() {
        enqueue(9);
        assertThat(queue().purge(JobState.Kind.READY, 5)).isEqualTo(5);
        assertThat(queue().purge(JobState.Kind.READY, 5)).isEqualTo(4);
        assertThat(queue().purge(JobState.Kind.READY, 5)).isZero();
        createDeadLetters(6);
        assertThat(queue().purge(JobState.Kind.DEAD, 500)).isEqualTo(6);
        assertThat(queue().purge(JobState.Kind.DEAD, 500)).isZero();
    }

    @Test
    void pages_list_the_jobs_of_all_shards() {
        List<JobId> ids = enqueue(11);
        List<JobId> shown = new ArrayList<>();
        Optional<Cursor> next = Optional.of(Cursor.START);
        while (next.isPresent()) {
            Page<StoredJob<String>> page = queue().jobs(JobState.Kind.READY, next.get(), 4);
            page.items().forEach(stored -> shown.add(stored.job().id()));
            next = page.next();
        }
        assertThat(shown).containsExactlyInAnyOrderElementsOf(ids);
        for (String cursor : List.of("01", "44", "4001", "ff", "40" + "00".repeat(25))) {
            assertThatThrownBy(() -> queue().jobs(JobState.Kind.READY, new Cursor(cursor), 4))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a cursor must be one that a page of this list returned");
        }
    }

    @Test
    void an_audit_examines_all_shards_and_reports_which_one_is_damaged() {
        JobQueue<String> queue = queue();
        for (int i = 0; i < 8; i++) {
            queue.enqueue("job", MINUTE);
        }
        AuditReport good = queue().audit();
        assertThat(good.jobs()).isEqualTo(8);
        assertThat(good.findings()).isEmpty();
        redis.probe.command("HSET", "hg:q:{orders:2}:keys", "ghost", "no id");
        assertThat(queue().audit().findings()).isNotEmpty().allSatisfy(finding -> assertThat(finding.detail())
                .startsWith("shard 2: "));
        assertThat(queue().repair().findings()).isNotEmpty();
        assertThat(queue().audit().findings()).isEmpty();
    }
}
