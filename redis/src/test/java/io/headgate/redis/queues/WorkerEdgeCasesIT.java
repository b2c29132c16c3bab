package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueException;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.redis.RedisSettings;
import io.headgate.testkit.Await;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Workers whose handlers, listeners or codecs misbehave, or whose Redis is not reachable. */
@Timeout(120)
class WorkerEdgeCasesIT {

    private static final Duration LONG = Duration.ofSeconds(10);

    @RegisterExtension
    final OwnQueues redis = OwnQueues.withClockOfRedis();

    private final JobQueue<String> queue = redis.queue("work", Codec.text());

    private void awaitDead(int jobs) {
        Await.until("dead letters", LONG, () -> queue.counts().dead() == jobs);
    }

    private Worker.Builder<String> oneAttempt() {
        return Worker.of(queue).concurrency(2).retries(RetryPolicy.none()).drain(Duration.ZERO);
    }

    @Test
    void an_exception_whose_message_has_an_unpaired_surrogate_fails_the_job() {
        OwnQueues.enqueue(queue, 5);
        try (Worker worker = oneAttempt().start(job -> {
            throw new IllegalStateException("half a smile: \ud83d");
        })) {
            awaitDead(5);
        }
    }

    @Test
    void an_exception_whose_getMessage_throws_fails_the_job() {
        OwnQueues.enqueue(queue, 5);
        try (Worker worker = oneAttempt().start(job -> {
            throw new IllegalStateException("no") {
                private static final long serialVersionUID = 1;

                @Override
                public String getMessage() {
                    throw new IllegalStateException("not even that");
                }
            };
        })) {
            awaitDead(5);
        }
    }

    /** Defect in spring-data-redis (#2833, #2919): a consumer dies at its first exception without a report. */
    @Test
    void an_error_of_a_handler_fails_the_job() {
        OwnQueues.enqueue(queue, 5);
        try (Worker worker = oneAttempt().start(job -> {
            throw new OutOfMemoryError("as a test");
        })) {
            awaitDead(5);
        }
    }

    @Test
    void an_error_of_a_codec_makes_the_job_a_dead_letter() {
        OwnQueues.enqueue(queue, 5);
        JobQueue<String> undecodable = redis.queue("work", Codec.<String>of(text -> new byte[0], bytes -> {
            throw new ExceptionInInitializerError("as a test");
        }));
        try (Worker worker =
                Worker.of(undecodable).concurrency(2).drain(Duration.ZERO).start(job -> {})) {
            awaitDead(5);
        }
    }

    @Test
    void a_worker_survives_errors_of_listeners_and_failure_policies() {
        OwnQueues.enqueue(queue, 5);
        try (Worker worker = oneAttempt()
                .listener(new WorkerListener() {
                    @Override
                    public void onStarted(Job<?> job) {
                        throw new AssertionError("as a test");
                    }
                })
                .onFailure((job, failure) -> {
                    throw new AssertionError("as a test");
                })
                .start(job -> {
                    throw new IllegalStateException("no");
                })) {
            awaitDead(5);
        }
    }

    @Test
    void an_interrupt_that_a_handler_leaves_set_does_not_reach_the_next_job() {
        OwnQueues.enqueue(queue, 50);
        AtomicInteger interrupted = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(50);
        try (Worker worker = Worker.of(queue).concurrency(1).start(job -> {
            if (Thread.currentThread().isInterrupted()) {
                interrupted.incrementAndGet();
            }
            all.countDown();
            Thread.currentThread().interrupt();
        })) {
            Await.until("all are handled", LONG, () -> all.getCount() == 0);
        }
        assertThat(interrupted).hasValue(0);
    }

    @Test
    void more_jobs_are_handled_concurrently_than_one_claim_returns() {
        OwnQueues.enqueue(queue, 1200);
        List<CompletableFuture<Void>> started = Collections.synchronizedList(new ArrayList<>());
        try (Worker worker = Worker.of(queue).concurrency(1200).startAsync(job -> {
            CompletableFuture<Void> end = new CompletableFuture<>();
            started.add(end);
            return end;
        })) {
            try {
                Await.until("all have started", LONG, () -> started.size() == 1200);
            } finally {
                List.copyOf(started).forEach(end -> end.complete(null));
            }
        }
    }

    @Test
    void listeners_receive_each_job_that_a_closing_worker_hands_back() throws Exception {
        OwnQueues.enqueue(queue, 300);
        Set<JobId> reported = ConcurrentHashMap.newKeySet();
        CountDownLatch started = new CountDownLatch(2);
        Worker worker = Worker.of(queue)
                .concurrency(100)
                .listener(new WorkerListener() {
                    @Override
                    public void onHandedBack(JobId id) {
                        reported.add(id);
                    }
                })
                .start(job -> {
                    // Jobs 0 to 9 end immediately.
                    if (job.payload().length() > 4) {
                        started.countDown();
                        new CountDownLatch(1).await();
                    }
                });
        assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
        worker.close(Duration.ZERO);
        Await.until("all are settled", LONG, () -> queue.counts().leased() == 0);
        Set<JobId> handedBack = queue.jobs(JobState.Kind.READY, 500).items().stream()
                .map(StoredJob::job)
                .filter(job -> job.delivery() > 0)
                .map(Job::id)
                .collect(Collectors.toSet());
        assertThat(handedBack).hasSizeGreaterThanOrEqualTo(2);
        Await.until("each is reported", LONG, () -> reported.equals(handedBack));
    }

    @Test
    void a_worker_that_never_connected_leaves_no_timer_thread_behind() {
        try (FaultProxy proxy = FaultProxy.before(redis.url());
                RedisQueueEngine shaky = RedisQueueEngine.connect(proxy.url())) {
            proxy.refuseConnections();
            JobQueue<String> work = shaky.queue("work", Codec.text());
            proxy.cutAll();
            Worker.of(work).start(job -> {}).close();
            Await.until("no timer is left", LONG, () -> Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().equals("headgate-worker-timer")));
        }
    }

    @Test
    void a_worker_that_started_while_redis_was_down_receives_signals_when_it_is_back() {
        try (FaultProxy proxy = FaultProxy.before(redis.url());
                RedisQueueEngine shaky = RedisQueueEngine.connect(proxy.url());
                Worker first = Worker.of(shaky.queue("first", Codec.text())).start(job -> {})) {
            Await.until("the first worker is subscribed", LONG, () -> redis.subscribers("first") == 1);
            proxy.refuseConnections();
            proxy.cutAll();
            Await.until("no worker is subscribed", LONG, () -> redis.subscribers("first") == 0);
            try (Worker second = Worker.of(shaky.queue("second", Codec.text())).start(job -> {})) {
                proxy.acceptConnections();
                Await.until("the first worker is subscribed again", LONG, () -> redis.subscribers("first") == 1);
                Await.until("the second worker is subscribed, too", LONG, () -> redis.subscribers("second") == 1);
            }
        }
    }

    @Test
    void callers_whose_jobs_shared_a_call_receive_distinct_exceptions() {
        try (FaultProxy proxy = FaultProxy.before(redis.url());
                RedisQueueEngine shaky =
                        RedisQueueEngine.connect(RedisSettings.of(proxy.url()).withTimeout(Duration.ofSeconds(2)))) {
            JobQueue<String> work = shaky.queue("work", Codec.text());
            work.enqueue("first");
            proxy.holdReplies();
            List<CompletableFuture<?>> calls = IntStream.range(0, 6)
                    .<CompletableFuture<?>>mapToObj(
                            i -> work.async().enqueue("job" + i).toCompletableFuture())
                    .toList();
            List<Throwable> failures = new ArrayList<>();
            for (CompletableFuture<?> call : calls) {
                try {
                    call.join();
                } catch (CompletionException e) {
                    failures.add(e.getCause());
                }
            }
            assertThat(failures).hasSize(6).allMatch(QueueException.class::isInstance);
            Set<Throwable> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
            distinct.addAll(failures);
            assertThat(distinct).hasSize(6);
        }
    }
}
