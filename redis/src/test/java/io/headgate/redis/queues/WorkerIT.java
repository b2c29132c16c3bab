package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.worker.FailurePolicy;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.redis.queues.internal.job.Times;
import io.headgate.testkit.Await;
import io.headgate.testkit.faults.FaultProxy;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers on a real Redis, with the clock of Redis. */
@Timeout(120)
class WorkerIT {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final RetryPolicy WITHOUT_DELAY = RetryPolicy.DEFAULT.withWaits(Duration.ZERO, Duration.ZERO);

    @RegisterExtension
    final OwnQueues redis = OwnQueues.withClockOfRedis();

    private final JobQueue<String> queue = redis.queue("work", Codec.text());
    private final Set<String> handled = ConcurrentHashMap.newKeySet();

    private void awaitEmpty() {
        Await.until("the queue is empty", LONG, () -> OwnQueues.isEmpty(queue));
    }

    @Test
    void every_job_is_handled_once_and_acked() {
        OwnQueues.enqueue(queue, 5000);
        AtomicInteger calls = new AtomicInteger();
        try (Worker worker = Worker.of(queue).start(job -> {
            calls.incrementAndGet();
            handled.add(job.payload());
        })) {
            awaitEmpty();
        }
        assertThat(handled).hasSize(5000);
        assertThat(calls).hasValue(5000);
    }

    @Test
    void several_workers_handle_each_job_once() {
        OwnQueues.enqueue(queue, 3000);
        List<Worker> workers = new ArrayList<>();
        AtomicInteger calls = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            workers.add(Worker.of(queue).concurrency(4).start(job -> {
                calls.incrementAndGet();
                handled.add(job.payload());
            }));
        }
        awaitEmpty();
        workers.forEach(Worker::close);
        assertThat(handled).hasSize(3000);
        assertThat(calls).hasValue(3000);
    }

    @Test
    void as_many_asynchronous_handlers_are_in_flight_as_the_configured_concurrency() {
        OwnQueues.enqueue(queue, 300);
        Map<String, CompletableFuture<Void>> started = new ConcurrentHashMap<>();
        try (Worker worker = Worker.of(queue).concurrency(300).startAsync(job -> {
            CompletableFuture<Void> end = new CompletableFuture<>();
            started.put(job.payload(), end);
            return end;
        })) {
            Await.until("all have started", LONG, () -> started.size() == 300);
            assertThat(queue.counts().leased()).isEqualTo(300);
            started.values().forEach(end -> end.complete(null));
            awaitEmpty();
        }
    }

    @Test
    void no_more_jobs_are_handled_concurrently_than_the_configured_concurrency() {
        OwnQueues.enqueue(queue, 200);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger maxRunning = new AtomicInteger();
        try (Worker worker = Worker.of(queue).concurrency(3).start(job -> {
            maxRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
            handled.add(job.payload());
            running.decrementAndGet();
        })) {
            awaitEmpty();
        }
        assertThat(maxRunning.get()).isLessThanOrEqualTo(3);
    }

    @Test
    void a_failing_job_is_retried_and_then_becomes_a_dead_letter() {
        queue.enqueue("bad");
        List<Integer> attempts = Collections.synchronizedList(new ArrayList<>());
        List<String> events = Collections.synchronizedList(new ArrayList<>());
        try (Worker worker = Worker.of(queue)
                .retries(WITHOUT_DELAY.withAttempts(3))
                .listener(recordingTo(events))
                .start(job -> {
                    attempts.add(job.attempt());
                    throw new IllegalStateException("no " + job.attempt());
                })) {
            Await.until("a dead letter", LONG, () -> queue.counts().dead() == 1);
            Await.until("reported", LONG, () -> events.contains("dead"));
        }
        assertThat(attempts).containsExactly(1, 2, 3);
        assertThat(events).containsExactly("started", "retried", "started", "retried", "started", "dead");
    }

    private static WorkerListener recordingTo(List<String> events) {
        return new WorkerListener() {
            @Override
            public void onStarted(Job<?> job) {
                events.add("started");
            }

            @Override
            public void onAcked(Job<?> job) {
                events.add("acked");
            }

            @Override
            public void onRetried(Job<?> job, Throwable failure, Duration delay) {
                events.add("retried");
            }

            @Override
            public void onDeadLettered(Job<?> job, Throwable failure) {
                events.add("dead");
            }

            @Override
            public void onDiscarded(Job<?> job, Throwable failure) {
                events.add("discarded");
            }

            @Override
            public void onHandedBack(JobId id) {
                events.add("handed back");
            }

            @Override
            public void onLeaseLost(JobId id) {
                events.add("lost");
            }

            @Override
            public void onQueueError(QueueException problem) {
                events.add("queue error");
            }
        };
    }

    /** Defect in asynq (#329): dead jobs beyond 10 000 are deleted without a report. */
    @Test
    void no_dead_letter_is_deleted_however_many_there_are() {
        OwnQueues.enqueue(queue, 10_500);
        try (Worker worker = Worker.of(queue).retries(RetryPolicy.none()).start(job -> {
            throw new IllegalStateException("hopeless");
        })) {
            Await.until("all are dead letters", LONG, () -> OwnQueues.isEmpty(queue));
        }
        assertThat(queue.counts().dead()).isEqualTo(10_500);
    }

    @Test
    void the_failure_policy_discards_or_dead_letters_a_failed_job() {
        queue.enqueue("discard");
        queue.enqueue("dead");
        List<String> events = Collections.synchronizedList(new ArrayList<>());
        try (Worker worker = Worker.of(queue)
                .onFailure(
                        (job, failure) -> String.valueOf(failure.getMessage()).equals("discard")
                                ? FailurePolicy.Action.DISCARD
                                : FailurePolicy.Action.DEAD_LETTER)
                .listener(recordingTo(events))
                .start(job -> {
                    throw new IllegalStateException(job.payload());
                })) {
            Await.until("both settled", LONG, () -> events.contains("discarded") && events.contains("dead"));
        }
        assertThat(queue.counts().dead()).isEqualTo(1);
    }

    @Test
    void a_parked_job_is_delivered_again_and_counts_no_attempt() {
        queue.enqueue("needs a service");
        List<String> handled = Collections.synchronizedList(new ArrayList<>());
        List<String> events = Collections.synchronizedList(new ArrayList<>());
        try (Worker worker = Worker.of(queue)
                .retries(new RetryPolicy(1, Duration.ofMillis(1), Duration.ofMillis(5), 0))
                .onFailure((job, failure) -> FailurePolicy.Action.PARK)
                .listener(new WorkerListener() {
                    @Override
                    public void onParked(Job<?> job, Throwable failure, Duration delay) {
                        events.add(failure.getMessage() + " " + delay.toMillis());
                    }
                })
                .start(job -> {
                    handled.add("attempt " + job.attempt() + " delivery " + job.delivery() + " causes " + job.causes());
                    if (job.delivery() < 5) {
                        throw new IllegalStateException("down");
                    }
                })) {
            assertThat(worker).isNotNull();
            Await.until(
                    "it is done",
                    LONG,
                    () -> handled.size() == 5 && queue.counts().leased() == 0);
        }
        assertThat(events).containsExactly("down 1", "down 2", "down 4", "down 5");
        assertThat(handled)
                .containsExactly(
                        "attempt 1 delivery 1 causes []",
                        "attempt 1 delivery 2 causes []",
                        "attempt 1 delivery 3 causes []",
                        "attempt 1 delivery 4 causes []",
                        "attempt 1 delivery 5 causes []");
        assertThat(queue.counts().dead()).isZero();
    }

    @Test
    void a_payload_that_can_not_be_decoded_is_a_dead_letter() {
        JobQueue<Integer> numbers = redis.queue(
                "work",
                Codec.of(
                        n -> new byte[] {n.byteValue()},
                        bytes -> Integer.parseInt(new String(bytes, StandardCharsets.UTF_8))));
        queue.enqueue("no number");
        try (Worker worker = Worker.of(numbers).start(job -> {})) {
            Await.until("a dead letter", LONG, () -> queue.counts().dead() == 1);
        }
    }

    @Test
    void an_idle_worker_is_woken_by_a_signal() {
        List<String> events = Collections.synchronizedList(new ArrayList<>());
        try (Worker worker = Worker.of(queue).listener(recordingTo(events)).start(job -> handled.add(job.payload()))) {
            for (int i = 0; i < 200; i++) {
                String payload = "one by one " + i;
                queue.enqueue(payload);
                Await.until("handled", LONG, () -> handled.contains(payload));
            }
        }
        // Without signals, the worker would handle one job a second, and the test would exceed its timeout.
        assertThat(handled).hasSize(200);
    }

    /** Defect in redisson (#5653, #3835, #4088): delayed jobs are lost, or wait until the next enqueue. */
    @Test
    void a_delayed_job_is_handled_when_it_is_due_and_not_before() {
        List<Long> early = Collections.synchronizedList(new ArrayList<>());
        try (Worker worker = Worker.of(queue).start(job -> {
            long lateMicros = redisMicros() - Times.micros(job.dueAt());
            if (lateMicros < 0) {
                early.add(lateMicros);
            }
            handled.add(job.payload());
        })) {
            for (int i = 0; i < 20; i++) {
                queue.enqueue("delayed" + i, Duration.ofMillis(20L * i));
            }
            awaitEmpty();
        }
        assertThat(handled).hasSize(20);
        assertThat(early).isEmpty();
    }

    private long redisMicros() {
        List<?> time = (List<?>) Objects.requireNonNull(redis.probe.command("TIME"));
        return Long.parseLong((String) time.get(0)) * 1_000_000 + Long.parseLong((String) time.get(1));
    }

    /** Defects in bullmq (#3183): a job whose lease is not renewed runs twice; in rq (#2424): a job that succeeds is declared abandoned. */
    @Test
    void a_lease_is_extended_while_the_handler_runs() throws Exception {
        queue.enqueue("takes long");
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch enough = new CountDownLatch(1);
        Duration lease = Duration.ofMillis(600);
        List<String> events = Collections.synchronizedList(new ArrayList<>());
        try (Worker first = Worker.of(queue)
                        .lease(lease)
                        .listener(recordingTo(events))
                        .start(job -> {
                            calls.incrementAndGet();
                            enough.await();
                        });
                Worker second = Worker.of(queue).lease(lease).start(job -> calls.incrementAndGet())) {
            long callsBefore = scriptCalls();
            Await.until("many leases have passed", LONG, () -> scriptCalls() > callsBefore + 9);
            enough.countDown();
            awaitEmpty();
        }
        assertThat(calls).hasValue(1);
        assertThat(events).containsExactly("started", "acked");
    }

    private long scriptCalls() {
        return redis.probe.commandCalls().getOrDefault("EVALSHA", 0L);
    }

    @Test
    void a_closed_worker_hands_back_unfinished_jobs() throws Exception {
        OwnQueues.enqueue(queue, 20);
        CountDownLatch started = new CountDownLatch(2);
        Worker worker = Worker.of(queue).concurrency(2).start(job -> {
            started.countDown();
            new CountDownLatch(1).await();
        });
        assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
        worker.close(Duration.ofMillis(50));
        QueueCounts counts = queue.counts();
        assertThat(counts.leased()).isZero();
        assertThat(counts.ready()).isEqualTo(20);
        queue.claim(20, LONG).forEach(lease -> assertThat(lease.job().attempt()).isEqualTo(1));
    }

    @Test
    void a_closing_worker_waits_for_its_handlers() throws Exception {
        queue.enqueue("a");
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch proceed = new CountDownLatch(1);
        Worker worker = Worker.of(queue).start(job -> {
            started.countDown();
            proceed.await();
            handled.add(job.payload());
        });
        assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
        Thread closer = new Thread(() -> worker.close(LONG));
        closer.start();
        Await.until("close() waits", LONG, () -> closer.getState() == Thread.State.TIMED_WAITING);
        proceed.countDown();
        closer.join();
        assertThat(handled).containsExactly("a");
        assertThat(queue.counts().leased()).isZero();
    }

    /** Defect in spring-data-redis (#2833, #2919): a consumer dies at its first timeout or broken connection. */
    @Test
    void a_worker_handles_every_job_when_its_connection_breaks_repeatedly() {
        try (FaultProxy proxy = FaultProxy.before(redis.url());
                RedisQueueEngine shaky = RedisQueueEngine.connect(proxy.url())) {
            OwnQueues.enqueue(queue, 2000);
            List<String> events = Collections.synchronizedList(new ArrayList<>());
            try (Worker worker = Worker.of(shaky.queue("work", Codec.text()))
                    .lease(Duration.ofMillis(300))
                    .listener(recordingTo(events))
                    .start(job -> {
                        if (handled.add(job.payload()) && handled.size() % 200 == 0) {
                            proxy.cutNextReplyTo("EVALSHA");
                        }
                    })) {
                awaitEmpty();
            }
            assertThat(handled).hasSize(2000);
            assertThat(events).contains("queue error");
        }
    }

    @Test
    void a_worker_continues_after_all_data_was_flushed() {
        try (Worker worker = Worker.of(queue).start(job -> handled.add(job.payload()))) {
            OwnQueues.enqueue(queue, 10);
            awaitEmpty();
            redis.probe.flushAll();
            queue.enqueue("after");
            Await.until("handled", LONG, () -> handled.contains("after"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void a_worker_that_can_not_extend_a_lease_backs_off(int shards) throws Exception {
        JobQueue<String> sharded = redis.queue(QueueSettings.of("work").withShards(shards));
        sharded.enqueue(NewJob.of("a").once(ShardKeys.first("k", 0, shards)));
        List<Long> errorsNanos = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch proceed = new CountDownLatch(1);
        WorkerListener recordingErrors = new WorkerListener() {
            @Override
            public void onQueueError(QueueException problem) {
                errorsNanos.add(System.nanoTime());
            }
        };
        try (Worker worker = Worker.of(sharded)
                .lease(Duration.ofMillis(300))
                .listener(recordingErrors)
                .start(job -> {
                    started.countDown();
                    assertThat(proceed.await(LONG.toSeconds(), TimeUnit.SECONDS))
                            .isTrue();
                })) {
            assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
            redis.probe.command("RENAME", "hg:q:{work}", "elsewhere");
            redis.probe.command("SET", "hg:q:{work}", "foreign");
            Await.until("it was tried many times", LONG, () -> errorsNanos.size() >= 8);
            // The waits are 20 ms, 40 ms and so on up to 640 ms, and then a second.
            assertThat(errorsNanos.get(7) - errorsNanos.get(0))
                    .isGreaterThan(Duration.ofSeconds(2).toNanos());
            assertThat(cpuMillisOf("headgate-worker-timer")).isLessThan(500);
            redis.probe.command("RENAME", "elsewhere", "hg:q:{work}");
            proceed.countDown();
        }
    }

    /** Returns the CPU time of the threads with the given name. */
    private static long cpuMillisOf(String thread) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.dumpAllThreads(false, false))
                .filter(one -> one.getThreadName().equals(thread))
                .mapToLong(one -> TimeUnit.NANOSECONDS.toMillis(threads.getThreadCpuTime(one.getThreadId())))
                .sum();
    }
}
