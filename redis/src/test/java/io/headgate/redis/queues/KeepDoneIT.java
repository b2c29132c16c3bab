package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.Enqueued;
import io.headgate.queues.Enqueued.Outcome;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.KeepDone;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.AuditFinding;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.queues.internal.job.Times;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Done jobs are kept for the configured time or number, and own their keys meanwhile, unless a job that is not done owns the key. The hash
 * {@code places} states where a job is stored if its id does not.
 */
class KeepDoneIT {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MICRO = Duration.ofNanos(1000);

    @RegisterExtension
    final OwnQueues redis = new OwnQueues();

    private JobQueue<String> queue(KeepDone kept) {
        return redis.queue(QueueSettings.of("orders").withKeepDone(kept));
    }

    private static Enqueued enqueueOnce(JobQueue<String> queue) {
        return queue.enqueue(NewJob.of("again").once("k"));
    }

    private static JobId completeOne(JobQueue<String> queue) {
        List<Lease<String>> leases = queue.claim(1, LEASE);
        assertThat(leases).hasSize(1);
        assertThat(leases.get(0).ack()).isEqualTo(Settled.DONE);
        return leases.get(0).id();
    }

    private static void completeMany(JobQueue<String> queue, int jobs) {
        queue.enqueueAll(
                IntStream.range(0, jobs).mapToObj(i -> NewJob.of("job" + i)).toList());
        queue.ackAll(queue.claim(jobs, LEASE));
    }

    private Object sendCommand(String... command) {
        return String.valueOf(redis.probe.command(command));
    }

    @Test
    void a_done_job_keeps_its_record_its_place_and_its_key() {
        JobQueue<String> queue = queue(KeepDone.newest(10));
        JobId id = queue.enqueue(NewJob.of("paid").once("k")).id();
        redis.clock.advance(HOUR);
        assertThat(completeOne(queue)).isEqualTo(id);
        assertThat(queue.counts().done()).isEqualTo(1);
        long since = redis.clock.nowMicros();
        assertThat(sendCommand("ZRANGE", "hg:q:{orders}:done", "0", "-1", "WITHSCORES"))
                .asString()
                .contains("paid")
                .endsWith(" " + since + "]");
        assertThat(sendCommand("HLEN", "hg:q:{orders}:places")).isEqualTo("1");
        // The id of the done job (14 bytes), and when it was done (7).
        assertThat(sendCommand("HSTRLEN", "hg:q:{orders}:keys", "k")).isEqualTo("21");
        assertThat(sendCommand("ZCARD", "hg:q:{orders}:leases")).isEqualTo("0");
    }

    @Test
    void a_key_belongs_to_the_done_job_to_the_microsecond_even_without_claims_or_acks() {
        JobQueue<String> queue = queue(KeepDone.forTime(HOUR));
        enqueueOnce(queue);
        JobId id = completeOne(queue);
        redis.clock.advance(HOUR.minus(MICRO));
        assertThat(enqueueOnce(queue)).isEqualTo(new Enqueued(Outcome.SAME, id));
        assertThat(queue.counts().done()).isEqualTo(1);
        redis.clock.advance(MICRO);
        assertThat(queue.counts().done()).isZero();
        Enqueued next = enqueueOnce(queue);
        assertThat(next.outcome()).isEqualTo(Outcome.ADDED);
        // Deleting the done job leaves the key to the new job.
        assertThat(queue.claim(1, LEASE)).hasSize(1);
        assertThat(sendCommand("ZCARD", "hg:q:{orders}:done")).isEqualTo("0");
        assertThat(enqueueOnce(queue)).isEqualTo(new Enqueued(Outcome.SAME, next.id()));
    }

    @Test
    void a_replacing_job_is_added_beside_a_done_job_and_owns_their_key() {
        JobQueue<String> queue = queue(KeepDone.forTime(HOUR));
        enqueueOnce(queue);
        JobId done = completeOne(queue);
        Enqueued beside = queue.enqueue(NewJob.of("b").replacing("k"));
        assertThat(beside.outcome()).isEqualTo(Outcome.ADDED);
        assertThat(enqueueOnce(queue)).isEqualTo(new Enqueued(Outcome.SAME, beside.id()));
        assertThat(queue.counts().done()).isEqualTo(1);
        assertThat(queue.cancel(beside.id())).isTrue();
        assertThat(enqueueOnce(queue)).isEqualTo(new Enqueued(Outcome.SAME, done));
    }

    @Test
    void a_redriven_dead_letter_owns_its_key_again_although_another_job_with_it_is_done() {
        JobQueue<String> queue = queue(KeepDone.forTime(HOUR));
        JobId dead = enqueueOnce(queue).id();
        queue.claim(1, LEASE).get(0).deadLetter("no");
        enqueueOnce(queue);
        completeOne(queue);
        assertThat(queue.deadLetters().redrive(dead)).isTrue();
        assertThat(enqueueOnce(queue)).isEqualTo(new Enqueued(Outcome.SAME, dead));
        redis.clock.advance(HOUR);
        List<Lease<String>> leases = queue.claim(9, LEASE);
        assertThat(leases).singleElement().satisfies(lease -> assertThat(lease.id())
                .isEqualTo(dead));
        assertThat(enqueueOnce(queue)).isEqualTo(new Enqueued(Outcome.SAME, dead));
        leases.get(0).ack();
        assertThat(enqueueOnce(queue)).isEqualTo(new Enqueued(Outcome.SAME, dead));
    }

    @Test
    void a_done_job_owns_its_key_again_when_the_waiting_owner_is_dead_lettered_or_purged() {
        JobQueue<String> queue = queue(KeepDone.forTime(HOUR));
        JobId dead = enqueueOnce(queue).id();
        queue.claim(1, LEASE).get(0).deadLetter("no");
        enqueueOnce(queue);
        JobId done = completeOne(queue);
        queue.deadLetters().redrive(dead);
        queue.claim(1, LEASE).get(0).deadLetter("no again");
        assertThat(enqueueOnce(queue)).isEqualTo(new Enqueued(Outcome.SAME, done));
        queue.deadLetters().redrive(dead);
        assertThat(enqueueOnce(queue)).isEqualTo(new Enqueued(Outcome.SAME, dead));
        assertThat(queue.audit().findings()).isEmpty();
        queue.purge(JobState.Kind.READY, 9);
        assertThat(enqueueOnce(queue)).isEqualTo(new Enqueued(Outcome.SAME, done));
        redis.clock.advance(HOUR);
        assertThat(enqueueOnce(queue).outcome()).isEqualTo(Outcome.ADDED);
    }

    @Test
    void a_done_job_owns_its_key_again_when_the_job_that_replaced_it_is_cancelled() {
        JobQueue<String> queue = queue(KeepDone.forTime(HOUR));
        enqueueOnce(queue);
        Lease<String> first = queue.claim(1, LEASE).get(0);
        Enqueued beside = queue.enqueue(NewJob.of("b").replacing("k"));
        first.ack();
        assertThat(enqueueOnce(queue)).isEqualTo(new Enqueued(Outcome.SAME, beside.id()));
        queue.cancel(beside.id());
        assertThat(enqueueOnce(queue)).isEqualTo(new Enqueued(Outcome.SAME, first.id()));
        queue.purge(JobState.Kind.DONE, 9);
        assertThat(sendCommand("HLEN", "hg:q:{orders}:keys")).isEqualTo("0");
    }

    @Test
    void only_the_newest_done_jobs_are_kept_and_older_ones_lose_their_keys() {
        JobQueue<String> queue = queue(KeepDone.newest(2));
        enqueueOnce(queue);
        JobId first = completeOne(queue);
        completeMany(queue, 1);
        assertThat(enqueueOnce(queue)).isEqualTo(new Enqueued(Outcome.SAME, first));
        completeMany(queue, 1);
        assertThat(queue.counts().done()).isEqualTo(2);
        assertThat(sendCommand("HLEN", "hg:q:{orders}:keys")).isEqualTo("0");
        assertThat(enqueueOnce(queue).outcome()).isEqualTo(Outcome.ADDED);
    }

    @Test
    void a_done_job_can_t_be_cancelled_rescheduled_redriven_or_discarded_and_takes_no_room() {
        JobQueue<String> queue =
                redis.queue(QueueSettings.of("orders").withMaxJobs(1).withKeepDone(KeepDone.newest(5)));
        queue.enqueue("a");
        JobId id = completeOne(queue);
        Map<String, String> before = redis.stored();
        assertThat(queue.cancel(id)).isFalse();
        assertThat(queue.runNow(id)).isFalse();
        assertThat(queue.deadLetters().redrive(id)).isFalse();
        assertThat(queue.deadLetters().discard(id)).isFalse();
        assertThat(redis.stored().keySet()).isEqualTo(before.keySet());
        queue.enqueue("b");
        completeOne(queue);
        assertThat(queue.counts().done()).isEqualTo(2);
    }

    @Test
    void surplus_done_jobs_are_deleted_by_claims_in_bounded_steps() {
        completeMany(queue(KeepDone.newest(1000)), 450);
        JobQueue<String> queue = queue(KeepDone.newest(7));
        assertThat(queue.claim(1, LEASE)).isEmpty();
        assertThat(sendCommand("ZCARD", "hg:q:{orders}:done")).isEqualTo("350");
        assertThat(queue.counts().done()).isEqualTo(7);
        for (int i = 0; i < 4; i++) {
            queue.claim(1, LEASE);
        }
        assertThat(sendCommand("ZCARD", "hg:q:{orders}:done")).isEqualTo("7");
        assertThat(sendCommand("HLEN", "hg:q:{orders}:places")).isEqualTo("7");
        completeMany(queue, 500);
        assertThat(sendCommand("ZCARD", "hg:q:{orders}:done")).isEqualTo("7");
    }

    @Test
    void a_queue_that_no_longer_keeps_done_jobs_does_not_delete_earlier_ones_but_frees_their_keys() {
        enqueueOnce(queue(KeepDone.forTime(HOUR)));
        completeOne(queue(KeepDone.forTime(HOUR)));
        JobQueue<String> queue = queue(KeepDone.none());
        assertThat(queue.counts().done()).isEqualTo(1);
        assertThat(enqueueOnce(queue).outcome()).isEqualTo(Outcome.ADDED);
        redis.probe.command("CONFIG", "RESETSTAT");
        completeOne(queue);
        assertThat(redis.probe.commandCalls()).doesNotContainKeys("ZCARD", "ZREMRANGEBYRANK");
        assertThat(queue.counts().done()).isEqualTo(1);
    }

    @Test
    void a_job_is_handled_once_even_if_other_threads_enqueue_it_again_meanwhile() throws Exception {
        JobQueue<String> queue = queue(KeepDone.forTime(HOUR));
        ConcurrentLinkedQueue<String> handled = new ConcurrentLinkedQueue<>();
        for (int round = 0; round < 30; round++) {
            String key = "key" + round;
            Set<String> ids = new ConcurrentSkipListSet<>();
            AtomicBoolean stopped = new AtomicBoolean();
            Thread[] threads = new Thread[6];
            for (int t = 0; t < threads.length; t++) {
                threads[t] = new Thread(() -> {
                    while (!stopped.get()) {
                        ids.add(queue.enqueue(NewJob.of(key).once(key)).id().value());
                    }
                });
                threads[t].start();
            }
            Await.until("the job is claimed and acked", LONG, () -> {
                List<Lease<String>> leases = queue.claim(5, LEASE);
                leases.forEach(lease -> {
                    handled.add(lease.job().payload());
                    lease.ack();
                });
                return !leases.isEmpty();
            });
            Enqueued after = queue.enqueue(NewJob.of(key).once(key));
            stopped.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(after.outcome()).isEqualTo(Outcome.SAME);
            assertThat(ids).containsExactly(after.id().value());
            assertThat(queue.claim(10, LEASE)).isEmpty();
            assertThat(handled).hasSize(round + 1).endsWith(key);
        }
    }

    @Test
    void done_jobs_can_be_found_listed_page_by_page_and_purged() {
        JobQueue<String> queue = queue(KeepDone.newest(10));
        enqueueOnce(queue);
        JobId first = completeOne(queue);
        Instant since = Times.instant(redis.clock.nowMicros());
        redis.clock.advance(MICRO);
        completeMany(queue, 2);
        assertThat(queue.find(first).map(StoredJob::state)).contains(new JobState.Done(since));
        Page<StoredJob<String>> page = queue.jobs(JobState.Kind.DONE, 2);
        assertThat(payloads(page)).containsExactly("again", "job0");
        assertThat(payloads(queue.jobs(JobState.Kind.DONE, page.next().orElseThrow(), 2)))
                .containsExactly("job1");
        assertThat(queue.audit().findings()).isEmpty();
        assertThat(queue.purge(JobState.Kind.DONE, 2)).isEqualTo(2);
        assertThat(queue.find(first)).isEmpty();
        assertThat(enqueueOnce(queue).outcome()).isEqualTo(Outcome.ADDED);
        assertThat(queue.purge(JobState.Kind.DONE, 500)).isEqualTo(1);
        assertThat(queue.purge(JobState.Kind.DONE, 500)).isZero();
        assertThat(queue.counts().done()).isZero();
    }

    @Test
    void a_repair_restores_lost_places_of_done_jobs_and_removes_places_and_keys_of_lost_ones() {
        JobQueue<String> queue = queue(KeepDone.newest(10));
        enqueueOnce(queue);
        JobId id = completeOne(queue);
        // The number of the first job.
        redis.probe.command("HDEL", "hg:q:{orders}:places", "\0\0\0\0\0\1");
        assertThat(queue.repair().findings()).extracting(AuditFinding::kind).containsOnly(AuditFinding.Kind.PLACE);
        assertThat(queue.find(id)).isPresent();
        redis.probe.command("DEL", "hg:q:{orders}:done");
        assertThat(queue.repair().findings())
                .extracting(AuditFinding::kind)
                .containsExactlyInAnyOrder(AuditFinding.Kind.PLACE, AuditFinding.Kind.KEY);
        assertThat(queue.audit().findings()).isEmpty();
        assertThat(enqueueOnce(queue).outcome()).isEqualTo(Outcome.ADDED);
    }

    private static List<String> payloads(Page<StoredJob<String>> page) {
        return page.items().stream().map(stored -> stored.job().payload()).toList();
    }

    @Test
    void jobs_acked_by_a_worker_are_kept() {
        JobQueue<String> queue = queue(KeepDone.newest(100));
        for (int i = 0; i < 20; i++) {
            queue.enqueue(NewJob.of("job" + i).once("key" + i));
        }
        try (Worker worker = Worker.of(queue).start(job -> {})) {
            assertThat(worker).isNotNull();
            Await.until("all are done", LONG, () -> queue.counts().done() == 20);
        }
        assertThat(sendCommand("HLEN", "hg:q:{orders}:keys")).isEqualTo("20");
    }

    @Test
    void acked_jobs_are_still_done_after_a_kill_of_redis_and_are_not_handed_out() {
        try (RedisServer own = RedisServer.startOwn("--appendonly", "yes", "--appendfsync", "always");
                RedisQueueEngine engine = Engines.queues(own.url())) {
            QueueSettings settings = QueueSettings.of("orders").withKeepDone(KeepDone.forTime(HOUR));
            JobQueue<String> queue = engine.queue(settings, Codec.text());
            enqueueOnce(queue);
            JobId id = completeOne(queue);
            own.kill();
            own.restart();
            try (RedisQueueEngine after = Engines.queues(own.url())) {
                JobQueue<String> again = after.queue(settings, Codec.text());
                assertThat(enqueueOnce(again)).isEqualTo(new Enqueued(Outcome.SAME, id));
                assertThat(again.claim(10, LEASE)).isEmpty();
                assertThat(again.counts().done()).isEqualTo(1);
            }
        }
    }
}
