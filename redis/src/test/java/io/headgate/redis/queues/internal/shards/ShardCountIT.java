package io.headgate.redis.queues.internal.shards;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.Codec;
import io.headgate.queues.Enqueued;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The number of shards belongs to the queue: every client uses the largest number that any client has set. */
@Timeout(120)
class ShardCountIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final Duration LONG = Duration.ofSeconds(30);

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final RedisQueueEngine one = Engines.queues(REDIS.url());
    private final RedisQueueEngine other = Engines.queues(REDIS.url());

    @BeforeEach
    void empty() {
        probe.flushAll();
    }

    @AfterEach
    void close() {
        one.close();
        other.close();
        probe.close();
    }

    private static JobQueue<String> queue(RedisQueueEngine engine, int shards) {
        return engine.queue(QueueSettings.of("orders").withShards(shards), Codec.text());
    }

    /** Returns the shard of a job, which is the first byte of its id. */
    private static int shard(JobId id) {
        return Integer.parseInt(id.value().substring(0, 2), 16);
    }

    private static List<JobId> enqueue(JobQueue<String> queue, int jobs) {
        return IntStream.range(0, jobs)
                .mapToObj(i -> queue.enqueue("job" + i).id())
                .toList();
    }

    @Test
    void a_client_that_opens_a_queue_with_fewer_shards_than_it_has_uses_all_of_them() {
        List<JobId> ids = enqueue(queue(one, 8), 16);
        JobQueue<String> fewer = queue(other, 2);
        JobQueue<String> byName = other.queue("orders", Codec.text());
        assertThat(fewer.counts().ready()).isEqualTo(16);
        assertThat(byName.find(ids.get(9))).isPresent();
        assertThat(fewer.shards()).isEqualTo(8);
        assertThat(byName.shards()).isEqualTo(8);
        assertThat(fewer.settings().shards()).isEqualTo(2);
        assertThat(enqueue(byName, 8).stream().map(ShardCountIT::shard))
                .hasSize(8)
                .doesNotHaveDuplicates();
        assertThat(byName.claim(100, LONG)).hasSize(24);
        assertThat(probe.command("HGET", "hg:queues", "orders")).isEqualTo("8");
    }

    @Test
    void a_client_that_opens_a_queue_with_more_shards_adds_them_for_all_clients() {
        JobQueue<String> before = queue(one, 1);
        List<JobId> ids = enqueue(before, 4);
        JobQueue<String> more = queue(other, 8);
        List<JobId> later = enqueue(more, 8);
        assertThat(more.find(ids.get(0))).isPresent();
        assertThat(before.shards()).isEqualTo(8);
        assertThat(later).allSatisfy(id -> assertThat(before.find(id)).isPresent());
        assertThat(before.claim(100, LONG)).hasSize(12);
    }

    @Test
    void after_shards_were_added_older_leases_are_settled_and_clients_agree_on_the_shard_of_a_key() {
        JobQueue<String> before = queue(one, 2);
        enqueue(before, 6);
        List<Lease<String>> leases = before.claim(6, LONG);
        JobQueue<String> more = queue(other, 8);
        more.enqueue("first");
        assertThat(before.shards()).isEqualTo(8);
        leases.get(0).ack();
        before.ackAll(leases.subList(1, 6));
        for (int i = 0; i < 20; i++) {
            NewJob<String> job = NewJob.of("a").once("key" + i);
            JobId id = before.enqueue(job).id();
            assertThat(more.enqueue(job)).isEqualTo(new Enqueued(Enqueued.Outcome.SAME, id));
        }
        assertThat(before.counts().ready()).isEqualTo(21);
        assertThat(before.counts().leased()).isZero();
    }

    @Test
    void a_batch_can_be_enqueued_again_after_shards_were_added() {
        JobQueue<String> before = queue(one, 1);
        List<NewJob<String>> batch = IntStream.range(0, 20)
                .mapToObj(i -> NewJob.of("job" + i).once("key" + i))
                .toList();
        assertThat(before.enqueueAll(batch)).extracting(Enqueued::outcome).containsOnly(Enqueued.Outcome.ADDED);
        assertThat(before.claim(20, LONG)).hasSize(20).allSatisfy(lease -> lease.ack());
        queue(other, 8).enqueue("first");
        assertThat(before.shards()).isEqualTo(8);
        List<Enqueued> after = before.enqueueAll(batch);
        assertThat(after).hasSize(20).extracting(Enqueued::outcome).containsOnly(Enqueued.Outcome.ADDED);
        assertThat(after.stream().map(job -> shard(job.id())).distinct()).hasSizeGreaterThan(4);
        assertThat(before.enqueueAll(batch))
                .isEqualTo(after.stream()
                        .map(job -> new Enqueued(Enqueued.Outcome.SAME, job.id()))
                        .toList());
    }

    @Test
    void a_running_worker_handles_the_jobs_of_added_shards() {
        Set<String> handled = ConcurrentHashMap.newKeySet();
        JobQueue<String> before = queue(one, 1);
        before.enqueue("first");
        try (Worker worker = Worker.of(before).start(job -> handled.add(job.payload()))) {
            Await.until("it works", LONG, () -> handled.contains("first"));
            List<JobId> ids = enqueue(queue(other, 8), 64);
            Await.until("all are handled", LONG, () -> handled.size() == 1 + ids.size());
        }
    }

    @Test
    void a_claim_registers_the_configured_number_of_shards_and_no_default() {
        JobQueue<String> queue = queue(one, 4);
        queue.claim(1, LONG);
        assertThat(other.queue("orders", Codec.text()).shards()).isEqualTo(4);
        other.queue("asked-only", Codec.text()).claim(1, LONG);
        assertThat(probe.command("HGETALL", "hg:queues")).isEqualTo(List.of("orders", "4"));
    }

    @Test
    void clients_that_open_a_queue_at_the_same_time_agree_on_the_larger_number() throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        for (int round = 0; round < 50; round++) {
            QueueSettings settings = QueueSettings.of("orders" + round);
            JobQueue<String> four = one.queue(settings.withShards(4), Codec.text());
            JobQueue<String> seven = other.queue(settings.withShards(7), Codec.text());
            CompletableFuture<List<JobId>> enqueued = CompletableFuture.supplyAsync(() -> {
                await(together);
                return enqueue(four, 10);
            });
            await(together);
            List<JobId> ids = new ArrayList<>(enqueue(seven, 10));
            ids.addAll(enqueued.get());
            assertThat(four.shards()).isEqualTo(7);
            assertThat(seven.shards()).isEqualTo(7);
            for (JobQueue<String> queue : List.of(four, seven)) {
                assertThat(queue.jobs(JobState.Kind.READY, 100).items())
                        .extracting(job -> job.job().id())
                        .containsExactlyInAnyOrderElementsOf(ids);
            }
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void calls_made_before_the_number_is_known_keep_their_order() {
        AsyncJobQueue<String> queue = one.queue("orders", Codec.text()).async();
        List<CompletableFuture<Enqueued>> enqueued = IntStream.range(0, 1000)
                .mapToObj(i -> queue.enqueue("job" + i).toCompletableFuture())
                .toList();
        assertThat(enqueued.stream().map(CompletableFuture::join).map(done -> done.id()
                        .value()))
                .isSorted();
        assertThat(queue.jobs(JobState.Kind.READY, 500)
                        .toCompletableFuture()
                        .join()
                        .items())
                .extracting(job -> job.job().payload())
                .startsWith("job0", "job1", "job2");
    }
}
