package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueException;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Workers whose handlers, listeners and codecs do what they should not, and who meet a Redis that is not there. */
@Timeout(120)
class WorkerOddJobsIT {

    private static final Duration LONG = Duration.ofSeconds(10);

    @RegisterExtension
    final OwnQueues redis = OwnQueues.byTheClockOfRedis();

    private final JobQueue<String> queue = redis.queue("work", Codec.text());

    private void awaitDead(int jobs) {
        Await.until("dead letters", LONG, () -> queue.counts().dead() == jobs);
    }

    private Worker.Builder<String> once() {
        return Worker.of(queue).concurrency(2).retries(RetryPolicy.none()).drain(Duration.ZERO);
    }

    @Test
    void a_failure_whose_message_is_no_unicode_is_a_failure() {
        OwnQueues.enqueue(queue, 5);
        try (Worker worker = once().start(job -> {
            throw new IllegalStateException("half a smile: \ud83d");
        })) {
            awaitDead(5);
        }
    }

    @Test
    void a_failure_that_can_not_say_what_it_is_is_a_failure() {
        OwnQueues.enqueue(queue, 5);
        try (Worker worker = once().start(job -> {
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

    /** spring-data-redis#2833, #2919: a consumer dies at its first exception without a report. */
    @Test
    void a_handler_that_throws_an_error_has_failed() {
        OwnQueues.enqueue(queue, 5);
        try (Worker worker = once().start(job -> {
            throw new OutOfMemoryError("as a test");
        })) {
            awaitDead(5);
        }
    }

    @Test
    void a_codec_that_throws_an_error_makes_dead_letters() {
        OwnQueues.enqueue(queue, 5);
        JobQueue<String> odd = redis.queue("work", Codec.<String>of(text -> new byte[0], bytes -> {
            throw new ExceptionInInitializerError("as a test");
        }));
        try (Worker worker = Worker.of(odd).concurrency(2).drain(Duration.ZERO).start(job -> {})) {
            awaitDead(5);
        }
    }

    @Test
    void errors_of_listeners_and_policies_are_kept_from_the_worker() {
        OwnQueues.enqueue(queue, 5);
        try (Worker worker = once().listener(new WorkerListener() {
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
    void a_handler_that_leaves_its_thread_interrupted_leaves_the_next_one_in_peace() {
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
    void more_jobs_are_handled_at_once_than_a_call_hands_out() {
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
    void listeners_receive_jobs_that_were_handed_back_before_they_started() throws Exception {
        OwnQueues.enqueue(queue, 300);
        AtomicInteger handedBack = new AtomicInteger();
        CountDownLatch started = new CountDownLatch(2);
        Worker worker = Worker.of(queue)
                .concurrency(100)
                .listener(new WorkerListener() {
                    @Override
                    public void onHandedBack(JobId id) {
                        handedBack.incrementAndGet();
                    }
                })
                .start(job -> {
                    if (job.payload().length() > 4) {
                        started.countDown();
                        new CountDownLatch(1).await();
                    }
                });
        assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
        long leased = queue.counts().leased();
        worker.close(Duration.ZERO);
        Await.until("reported", LONG, () -> handedBack.get() >= leased);
    }

    @Test
    void a_worker_that_never_found_redis_leaves_no_thread_behind() {
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
            Await.until("the first one listens", LONG, () -> redis.listeners("first") == 1);
            proxy.refuseConnections();
            proxy.cutAll();
            Await.until("no worker listens", LONG, () -> redis.listeners("first") == 0);
            try (Worker second = Worker.of(shaky.queue("second", Codec.text())).start(job -> {})) {
                proxy.acceptConnections();
                Await.until("the first one listens again", LONG, () -> redis.listeners("first") == 1);
                Await.until("the second one listens, too", LONG, () -> redis.listeners("second") == 1);
            }
        }
    }

    @Test
    void those_whose_jobs_travelled_together_do_not_share_their_exception() {
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
