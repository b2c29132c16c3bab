package io.headgate.redis.queues.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.headgate.queues.Codec;
import io.headgate.queues.Enqueued;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueFullException;
import io.headgate.queues.QueueSettings;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.queues.OwnQueues;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that many threads and processes enqueue at the same time. */
@Timeout(120)
class ConcurrentEnqueueIT {

    private static final Duration LEASE = Duration.ofSeconds(30);

    @RegisterExtension
    final OwnQueues redis = OwnQueues.withClockOfRedis();

    private final JobQueue<String> queue = redis.queue("together", Codec.text());

    private List<String> claimAll() {
        List<String> payloads = new ArrayList<>();
        for (List<Lease<String>> some = queue.claim(500, LEASE); !some.isEmpty(); some = queue.claim(500, LEASE)) {
            some.forEach(lease -> payloads.add(lease.job().payload()));
        }
        return payloads;
    }

    @Test
    void of_concurrently_enqueued_jobs_with_the_same_key_one_is_added() throws Exception {
        try (RedisQueueEngine otherEngine = Engines.queues(redis.url())) {
            JobQueue<String> other = otherEngine.queue("together", Codec.text());
            CountDownLatch start = new CountDownLatch(1);
            List<CompletableFuture<List<Enqueued>>> threads = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                JobQueue<String> own = thread % 2 == 0 ? queue : other;
                CompletableFuture<List<Enqueued>> enqueued = new CompletableFuture<>();
                threads.add(enqueued);
                new Thread(() -> {
                            try {
                                start.await();
                                enqueued.complete(IntStream.range(0, 100)
                                        .mapToObj(i ->
                                                own.enqueue(NewJob.of("job").once("key" + i)))
                                        .toList());
                            } catch (InterruptedException | RuntimeException e) {
                                enqueued.completeExceptionally(e);
                            }
                        })
                        .start();
            }
            start.countDown();
            List<Enqueued> all =
                    threads.stream().flatMap(thread -> thread.join().stream()).toList();
            assertThat(all.stream().filter(one -> one.outcome() == Enqueued.Outcome.ADDED))
                    .hasSize(100);
            assertThat(all.stream().map(Enqueued::id).distinct()).hasSize(100);
        }
        assertThat(queue.counts().ready()).isEqualTo(100);
    }

    @Test
    void jobs_that_one_thread_enqueues_without_waiting_stay_in_order_and_share_calls() {
        queue.enqueue("warm-up");
        claimAll();
        long before = calls();
        List<CompletableFuture<Enqueued>> ids = new ArrayList<>();
        List<String> payloads =
                IntStream.range(0, 5000).mapToObj(i -> "job" + i).toList();
        payloads.forEach(payload -> ids.add(queue.async().enqueue(payload).toCompletableFuture()));
        ids.forEach(CompletableFuture::join);
        assertThat(calls() - before).isLessThan(2500);
        assertThat(claimAll()).isEqualTo(payloads);
    }

    private long calls() {
        return redis.probe.commandCalls().getOrDefault("EVALSHA", 0L);
    }

    @Test
    void a_caller_rejected_by_a_full_queue_fails_no_other_caller() {
        List<CompletableFuture<List<Enqueued>>> groups = new ArrayList<>();
        try (FaultProxy proxy = FaultProxy.before(redis.url());
                RedisQueueEngine slow = Engines.queues(proxy.url())) {
            JobQueue<String> small = slow.queue(QueueSettings.of("together").withMaxJobs(10), Codec.text());
            small.counts();
            // The first call is sent alone; the others share a call, which is sent after its reply.
            proxy.holdReplies();
            for (int i = 0; i < 5; i++) {
                groups.add(small.async()
                        .enqueueAll(List.of(NewJob.of("a"), NewJob.of("b"), NewJob.of("c")))
                        .toCompletableFuture());
            }
            groups.add(small.async().enqueueAll(List.of(NewJob.of("last"))).toCompletableFuture());
            proxy.resume();
            Await.until("all are complete", LEASE, () -> groups.stream().allMatch(CompletableFuture::isDone));
        }
        List<Boolean> full = groups.stream()
                .map(group -> group.handle((done, problem) -> problem instanceof CompletionException wrapped
                                ? wrapped.getCause() instanceof QueueFullException
                                : problem instanceof QueueFullException)
                        .join())
                .toList();
        assertThat(full).containsExactly(false, false, false, true, true, false);
        assertThat(claimAll()).hasSize(10).endsWith("last");
    }

    @Test
    void a_thread_that_is_interrupted_before_its_call_is_sent_enqueues_nothing() throws Exception {
        try (RedisQueueEngine patient =
                RedisQueueEngine.connect(RedisSettings.of(redis.url()).withTimeout(LEASE))) {
            JobQueue<String> own = patient.queue("together", Codec.text());
            redis.pause();
            CompletableFuture<Enqueued> before = own.async().enqueue("before").toCompletableFuture();
            CompletableFuture<Throwable> problem = new CompletableFuture<>();
            Thread thread = new Thread(() -> problem.complete(catchThrowable(() -> own.enqueue("given up"))));
            thread.start();
            Await.until("the thread to wait", LEASE, () -> thread.getState() == Thread.State.TIMED_WAITING);
            thread.interrupt();
            assertThat(problem.join()).isInstanceOfSatisfying(QueueException.class, failure -> {
                assertThat(failure.problem()).startsWith("interrupted; nothing was sent");
                assertThat(failure.mayBeDone()).isFalse();
            });
            redis.resume();
            before.join();
            own.enqueue("after");
        } finally {
            redis.resume();
        }
        assertThat(claimAll()).containsExactly("before", "after");
    }

    @Test
    void callers_whose_call_fails_receive_an_exception_and_later_calls_succeed() {
        try (FaultProxy proxy = FaultProxy.before(redis.url());
                RedisQueueEngine shaky = Engines.queues(proxy.url())) {
            JobQueue<String> own = shaky.queue("together", Codec.text());
            own.enqueue("warm-up");
            // Waits until the name of the queue is registered, so that the reply that is cut is that of an enqueue.
            own.counts();
            proxy.cutNextReplyTo("EVALSHA");
            List<CompletableFuture<Enqueued>> ids = IntStream.range(0, 200)
                    .mapToObj(i -> own.async().enqueue("job" + i).toCompletableFuture())
                    .toList();
            List<Throwable> problems = ids.stream()
                    .map(id -> id.handle((done, problem) -> problem).join())
                    .filter(problem -> problem != null)
                    .toList();
            assertThat(problems).isNotEmpty().allSatisfy(problem -> assertThat(
                            problem instanceof CompletionException ? problem.getCause() : problem)
                    .isInstanceOf(QueueException.class));
            int done = ids.size() - problems.size();
            assertThat(claimAll()).hasSizeGreaterThan(done);
            Await.until("it is connected again", LEASE, () -> {
                try {
                    own.enqueue("after");
                    return true;
                } catch (QueueException e) {
                    return false;
                }
            });
        }
        assertThat(claimAll()).contains("after");
    }
}
