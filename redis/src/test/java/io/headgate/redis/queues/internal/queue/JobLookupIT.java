package io.headgate.redis.queues.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Enqueued;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.Priority;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.redis.queues.OwnQueues;
import io.headgate.redis.queues.QueueAgreesIT;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Lookups of single jobs, pages of jobs, and purges in bounded steps. {@link QueueAgreesIT} also looks up and purges jobs, in random
 * histories.
 */
class JobLookupIT {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @RegisterExtension
    final OwnQueues redis = new OwnQueues();

    private final NewJob<String> job = NewJob.of("a");

    private static List<String> payloads(Page<StoredJob<String>> page) {
        return page.items().stream().map(stored -> stored.job().payload()).toList();
    }

    @Test
    void a_lookup_changes_nothing() {
        JobQueue<String> queue = redis.queue();
        JobId id = queue.enqueue("a").id();
        queue.enqueue("b", MINUTE);
        queue.claim(1, MINUTE);
        Map<String, String> before = redis.stored();
        assertThat(queue.find(id).map(StoredJob::state))
                .isEqualTo(Optional.of(new JobState.Leased(OwnQueues.START.plus(MINUTE))));
        for (JobState.Kind kind : JobState.Kind.values()) {
            queue.jobs(kind, 10);
        }
        assertThat(redis.stored()).isEqualTo(before);
    }

    @Test
    void a_page_shows_jobs_in_the_order_in_which_they_are_handed_out() {
        JobQueue<String> queue = redis.queue();
        queue.enqueueAll(List.of(
                NewJob.of("low").priority(Priority.LOW),
                job,
                NewJob.of("high").priority(Priority.HIGH),
                NewJob.of("later").after(MINUTE)));
        Page<StoredJob<String>> first = queue.jobs(JobState.Kind.READY, 2);
        assertThat(payloads(first)).containsExactly("high", "a");
        queue.claim(2, MINUTE);
        Page<StoredJob<String>> last =
                queue.jobs(JobState.Kind.READY, first.next().orElseThrow(), 2);
        assertThat(payloads(last)).containsExactly("low");
        assertThat(last.next()).isEmpty();
        assertThat(payloads(queue.jobs(JobState.Kind.DELAYED, 2))).containsExactly("later");
    }

    @Test
    void pages_of_large_jobs_have_fewer_jobs() {
        JobQueue<String> queue = redis.queue(QueueSettings.of("orders").withMaxPayloadBytes(256 << 10));
        for (int i = 0; i < 5; i++) {
            queue.enqueueAll(List.of(
                    NewJob.of("x".repeat(250_000)),
                    NewJob.of("y".repeat(250_000)).after(MINUTE)));
        }
        for (JobState.Kind kind : List.of(JobState.Kind.READY, JobState.Kind.DELAYED)) {
            int seen = 0;
            Optional<Cursor> next = Optional.of(Cursor.START);
            while (next.isPresent()) {
                Page<StoredJob<String>> page = queue.jobs(kind, next.get(), 500);
                assertThat(page.items()).hasSizeBetween(1, 2);
                seen += page.items().size();
                next = page.next();
            }
            assertThat(seen).isEqualTo(5);
        }
    }

    @Test
    void cancelled_jobs_are_skipped_however_many_there_are() {
        JobQueue<String> queue = redis.queue();
        List<JobId> ids = new ArrayList<>();
        for (int i = 0; i < 2500; i++) {
            ids.add(queue.enqueue("job").id());
        }
        queue.enqueue("last");
        ids.forEach(queue::cancel);
        Page<StoredJob<String>> page = queue.jobs(JobState.Kind.READY, 1);
        assertThat(payloads(page)).containsExactly("last");
        assertThat(page.next()).isEmpty();
        assertThat(queue.purge(JobState.Kind.READY, 10)).isEqualTo(1);
        assertThat(queue.purge(JobState.Kind.READY, 10)).isZero();
    }

    @Test
    void a_job_is_found_among_many_claims() {
        JobQueue<String> queue = redis.queue();
        List<JobId> ids = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            ids.add(queue.enqueue("job" + i).id());
            assertThat(queue.claim(1, MINUTE)).hasSize(1);
        }
        for (int i = 0; i < 250; i += 50) {
            assertThat(queue.find(ids.get(i)).orElseThrow().job().payload()).isEqualTo("job" + i);
        }
        List<String> shown = new ArrayList<>();
        Optional<Cursor> next = Optional.of(Cursor.START);
        while (next.isPresent()) {
            Page<StoredJob<String>> page = queue.jobs(JobState.Kind.LEASED, next.get(), 30);
            shown.addAll(payloads(page));
            next = page.next();
        }
        assertThat(shown).hasSize(250).doesNotHaveDuplicates();
        assertThat(queue.find(new JobId("f".repeat(30)))).isEmpty();
    }

    @Test
    void a_purge_frees_keys_and_keeps_claimed_jobs() {
        JobQueue<String> queue = redis.queue();
        queue.enqueue(job.once("leased"));
        Lease<String> lease = queue.claim(1, MINUTE).get(0);
        queue.enqueueAll(List.of(job.once("ready"), job.once("delayed").after(MINUTE)));
        queue.enqueue(job.once("came back"));
        queue.claim(2, MINUTE).forEach(one -> one.retry(Duration.ofSeconds(1), "no"));
        assertThat(queue.purge(JobState.Kind.DELAYED, 2)).isEqualTo(2);
        assertThat(queue.purge(JobState.Kind.DELAYED, 2)).isEqualTo(1);
        for (String key : List.of("ready", "delayed", "came back")) {
            assertThat(queue.enqueue(job.once(key)).outcome()).isEqualTo(Enqueued.Outcome.ADDED);
        }
        assertThat(queue.enqueue(job.once("leased")).outcome()).isEqualTo(Enqueued.Outcome.SAME);
        assertThat(queue.purge(JobState.Kind.READY, 500)).isEqualTo(3);
        lease.deadLetter("no");
        assertThat(queue.purge(JobState.Kind.DEAD, 500)).isEqualTo(1);
        assertThat(redis.probe.command("KEYS", "hg:q:*")).isEqualTo(List.of("hg:q:{orders}"));
    }

    @Test
    void a_purge_of_leased_jobs_is_rejected() {
        JobQueue<String> queue = redis.queue();
        assertThatThrownBy(() -> queue.purge(JobState.Kind.LEASED, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("leased jobs can't be purged; purge waiting jobs or dead letters");
    }

    @Test
    void repeated_purges_remove_all_jobs_of_many_batches() {
        JobQueue<String> queue = redis.queue();
        for (int i = 0; i < 5; i++) {
            queue.enqueueAll(Collections.nCopies(300, job));
        }
        int removed = 0;
        for (int n = queue.purge(JobState.Kind.READY, 400); n > 0; n = queue.purge(JobState.Kind.READY, 400)) {
            removed += n;
        }
        assertThat(removed).isEqualTo(1500);
        assertThat(queue.counts().ready()).isZero();
    }
}
