package io.headgate.redis.queues.internal.shards;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.Settled;
import io.headgate.queues.internal.worker.HandlerRunner;
import io.headgate.queues.worker.AsyncHandler;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.FailurePolicy;
import io.headgate.queues.worker.JobSource;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.queues.worker.Settlement;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.redis.queues.ShardKeys;
import io.headgate.redis.queues.internal.job.JobSettlement;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A worker on a queue with a failing shard, which hands out jobs but cannot dead-letter them, because its key of dead letters holds a
 * foreign value. Each poll is recorded.
 */
@Timeout(120)
class ShardBackoffIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int SHARDS = 4;
    private static final int FAILING = 2;
    private static final String DEAD_LETTERS = "hg:q:{work:" + FAILING + "}:dead";

    private static final String READY = "hg:q:{work:" + FAILING + "}:ready:1";

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final RedisQueueEngine engine = Engines.queues(REDIS.url());
    private final JobQueue<String> queue = open();
    private final RecordingSource source = new RecordingSource(queue);
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger acked = new AtomicInteger();
    private final AtomicInteger dead = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();

    /**
     * A poll of the queue.
     *
     * @param settled shards that the poll sent settlements to
     * @param claimed shards from which the poll claimed jobs
     * @param failedShards shards that failed
     */
    private record RecordedPoll(Set<Integer> settled, Set<Integer> claimed, Set<Integer> failedShards) {}

    /** The source of the queue, which records each poll. */
    private static final class RecordingSource implements JobSource<String> {

        private final JobSource<String> queue;
        private final List<RecordedPoll> polls = new CopyOnWriteArrayList<>();

        RecordingSource(JobQueue<String> queue) {
            this.queue = queue.source();
        }

        @Override
        public String name() {
            return queue.name();
        }

        @Override
        public CompletionStage<PollResult<String>> poll(PollRequest request) {
            Set<Integer> settled = request.settlements().stream()
                    .map(one -> ((JobSettlement) one).shard())
                    .collect(Collectors.toSet());
            return queue.poll(request).thenApply(result -> {
                Set<Integer> claimed =
                        result.claimed().stream().map(ClaimedJob::shard).collect(Collectors.toSet());
                polls.add(new RecordedPoll(settled, claimed, result.failedShards()));
                return result;
            });
        }

        @Override
        public Subscription subscribe(Runnable onSignal) {
            return queue.subscribe(onSignal);
        }

        long failedPolls() {
            return polls.stream()
                    .filter(poll -> poll.failedShards().contains(FAILING))
                    .count();
        }
    }

    private JobQueue<String> open() {
        return engine.queue(QueueSettings.of("work").withShards(SHARDS), Codec.text());
    }

    @BeforeEach
    void make_one_shard_fail() {
        probe.flushAll();
        probe.command("SET", DEAD_LETTERS, "foreign");
    }

    @AfterEach
    void close() {
        engine.close();
        probe.close();
    }

    /** Enqueues jobs in each shard; the handler fails for those of the failing shard. */
    private void enqueue(int jobs) {
        enqueue(jobs, "k");
    }

    private void enqueue(int jobs, String keys) {
        for (int shard = 0; shard < SHARDS; shard++) {
            String payload = shard == FAILING ? "fails" : "succeeds";
            ShardKeys.of(keys, shard, SHARDS)
                    .limit(jobs)
                    .forEach(key -> queue.enqueue(NewJob.of(payload).once(key)));
        }
    }

    private HandlerRunner<String> start() {
        return started(listeners -> HandlerRunner.blocking(
                job -> {
                    if (job.payload().equals("fails")) {
                        failures.incrementAndGet();
                        throw new IllegalStateException("as a test");
                    }
                },
                source,
                settings(4),
                listeners));
    }

    private HandlerRunner<String> start(AsyncHandler<String> handler) {
        return started(listeners -> HandlerRunner.async(handler, source, settings(1000), listeners));
    }

    private static HandlerRunner.Settings settings(int concurrency) {
        return new HandlerRunner.Settings(
                "queue work", concurrency, LONG, RetryPolicy.none(), (job, failure) -> FailurePolicy.Action.RETRY);
    }

    private HandlerRunner<String> started(Function<List<WorkerListener>, HandlerRunner<String>> worker) {
        WorkerListener counting = new WorkerListener() {
            @Override
            public void onAcked(Job<?> job) {
                acked.incrementAndGet();
            }

            @Override
            public void onDeadLettered(Job<?> job, Throwable failure) {
                dead.incrementAndGet();
            }

            @Override
            public void onLeaseLost(JobId id) {
                lost.incrementAndGet();
            }
        };
        HandlerRunner<String> runner = worker.apply(List.of(counting));
        runner.start();
        return runner;
    }

    @Test
    void nothing_is_claimed_from_a_failing_shard_until_it_has_settled_and_other_shards_continue() {
        enqueue(400);
        HandlerRunner<String> worker = start();
        Await.until("all of the others are handled", LONG, () -> acked.get() == 3 * 400);
        Await.until("its settlements were retried", LONG, () -> source.failedPolls() >= 6);
        assertThat(dead).hasValue(0);
        worker.close(Duration.ZERO);
        assertThat(unsettledAtTheEnd()).containsExactly(FAILING);
        assertThat(lost).hasValue(0);
    }

    /** Shards whose last settlements failed; asserts that nothing was claimed from such a shard meanwhile. */
    private Set<Integer> unsettledAtTheEnd() {
        Set<Integer> unsettled = new HashSet<>();
        for (RecordedPoll poll : source.polls) {
            Set<Integer> stillUnsettled = new HashSet<>(poll.failedShards());
            stillUnsettled.retainAll(poll.settled());
            unsettled.removeAll(poll.settled());
            unsettled.addAll(stillUnsettled);
            assertThat(poll.claimed()).as("%s", poll).noneMatch(unsettled::contains);
        }
        return unsettled;
    }

    @Test
    void nothing_is_claimed_from_failing_shards_when_their_settlements_do_not_fit_into_one_call() {
        probe.command("SET", "hg:q:{work:1}:dead", "foreign");
        enqueue(250);
        List<CompletableFuture<Void>> ofShard1 = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> ofFailing = Collections.synchronizedList(new ArrayList<>());
        HandlerRunner<String> worker = start(job -> {
            CompletableFuture<Void> done = new CompletableFuture<>();
            switch (ShardMap.ofKey(job.key().orElseThrow(), SHARDS)) {
                case 1 -> ofShard1.add(done);
                case FAILING -> ofFailing.add(done);
                default -> done.complete(null);
            }
            return done;
        });
        Await.until("all are claimed", LONG, () -> ofShard1.size() == 250 && ofFailing.size() == 250);
        ofShard1.forEach(done -> done.completeExceptionally(new IllegalStateException("as a test")));
        ofFailing.forEach(done -> done.completeExceptionally(new IllegalStateException("as a test")));
        enqueue(5, "more");
        Await.until("their settlements were retried", LONG, () -> source.failedPolls() >= 6);
        worker.close(Duration.ZERO);
        assertThat(unsettledAtTheEnd()).containsExactlyInAnyOrder(1, FAILING);
    }

    /** A job whose lease has expired more than once may kill its process, so a worker handles it alone. */
    @Test
    void a_job_that_is_handled_alone_does_not_wait_for_a_failing_shard() {
        probe.command("DEL", DEAD_LETTERS);
        queue.enqueue(NewJob.of("succeeds").once(ShardKeys.first("k", 1, SHARDS)));
        List<Lease<String>> leases = new ArrayList<>();
        for (int crashes = 0; crashes < 3; crashes++) {
            Duration lease = crashes == 2 ? LONG : Duration.ofMillis(10);
            int before = leases.size();
            Await.until("it is handed out", LONG, () -> {
                leases.addAll(queue.claim(1, lease));
                return leases.size() > before;
            });
        }
        probe.command("SET", DEAD_LETTERS, "foreign");
        enqueue(3, "more");
        HandlerRunner<String> worker = start();
        Await.until("the others are handled", LONG, () -> acked.get() == 9 && source.failedPolls() >= 1);
        assertThat(leases.get(2).handBack(Duration.ZERO)).isEqualTo(Settled.DONE);
        Await.until("it is handled", LONG, () -> acked.get() == 10);
        assertThat(unsettledAtTheEnd()).containsExactly(FAILING);
        worker.close(Duration.ZERO);
    }

    @Test
    void a_poll_claims_from_the_healthy_shards_whichever_shard_comes_first() {
        probe.command("SET", "hg:q:{work:1}:dead", "foreign");
        enqueue(20);
        List<Settlement> deadLettered = poll(20 * SHARDS, List.of()).claimed().stream()
                .filter(job -> job.shard() == 1 || job.shard() == FAILING)
                .map(job -> job.deadLetterSettlement("as a test"))
                .toList();
        enqueue(20, "more");
        for (int i = 0; i < SHARDS; i++) {
            PollResult<String> result = poll(4, deadLettered);
            assertThat(result.failedShards()).containsExactlyInAnyOrder(1, FAILING);
            assertThat(result.failure()).isPresent();
            assertThat(result.claimed()).hasSize(4).noneMatch(job -> result.failedShards()
                    .contains(job.shard()));
        }
    }

    @Test
    void a_shard_that_was_not_polled_is_not_reported_as_failed() {
        probe.command("DEL", DEAD_LETTERS);
        for (String key : List.of("hg:q:{work}", "hg:q:{work:1}", "hg:q:{work:2}")) {
            probe.command("SET", key, "foreign");
        }
        for (int i = 0; i < 12; i++) {
            // A new queue object each time: the first poll of each starts with a random shard.
            PollResult<String> result = new RecordingSource(open())
                    .poll(new PollRequest(100, LONG, List.of()))
                    .toCompletableFuture()
                    .join();
            assertThat(result.failedShards()).isNotEmpty().doesNotContain(3);
        }
    }

    @Test
    void settlements_of_a_shard_take_effect_when_its_claim_fails() {
        enqueue(20);
        List<Settlement> done = poll(20 * SHARDS, List.of()).claimed().stream()
                .filter(job -> job.shard() == FAILING)
                .map(ClaimedJob::ackSettlement)
                .toList();
        probe.command("SET", READY, "foreign");
        int settledAlone = 0;
        for (Settlement one : done) {
            // A new queue object each time: the first poll of each starts with a random shard.
            PollResult<String> result = new RecordingSource(open())
                    .poll(new PollRequest(100, LONG, List.of(one)))
                    .toCompletableFuture()
                    .join();
            assertThat(result.failedShards()).containsExactly(FAILING);
            if (result.unsettled().isEmpty()) {
                assertThat(result.settled()).containsExactly(Settled.DONE);
                settledAlone++;
            }
        }
        // If the poll starts with the failing shard, one call both settles and claims, and fails.
        assertThat(settledAlone).isPositive();
    }

    @Test
    void a_shard_whose_claims_fail_still_settles_its_jobs() {
        probe.command("DEL", DEAD_LETTERS);
        enqueue(10);
        CountDownLatch proceed = new CountDownLatch(1);
        HandlerRunner<String> worker = start(job -> CompletableFuture.runAsync(() -> {
            try {
                proceed.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }));
        Await.until("all are claimed", LONG, () -> queue.counts().leased() == 10 * SHARDS);
        probe.command("SET", READY, "foreign");
        proceed.countDown();
        // A call that acks and claims fails after it has acked; when the acks are sent again, those leases are lost.
        Await.until("all are acked", LONG, () -> acked.get() + lost.get() == 10 * SHARDS);
        worker.close(LONG);
        probe.command("DEL", READY);
        // Such a call has not updated the counts of the header either, which a repair corrects.
        queue.repair();
        assertThat(queue.counts().leased()).isZero();
    }

    private PollResult<String> poll(int max, List<Settlement> settlements) {
        return source.poll(new PollRequest(max, LONG, settlements))
                .toCompletableFuture()
                .join();
    }

    @Test
    void a_closing_worker_waits_until_its_jobs_are_settled() throws Exception {
        enqueue(3);
        HandlerRunner<String> worker = start();
        Await.until("the others are handled", LONG, () -> acked.get() == 9 && source.failedPolls() >= 2);
        long before = source.failedPolls();
        CompletableFuture<Void> ended = CompletableFuture.runAsync(() -> worker.close(LONG));
        Await.until("its settlements are retried", LONG, () -> source.failedPolls() >= before + 2);
        assertThat(ended).isNotDone();
        probe.command("DEL", DEAD_LETTERS);
        ended.get(30, TimeUnit.SECONDS);
        assertThat(failures).hasPositiveValue();
        assertThat(dead).hasValue(failures.get());
        assertThat(queue.deadLetters().list(10).items()).hasSize(failures.get());
        assertThat(queue.counts().leased()).isZero();
    }
}
