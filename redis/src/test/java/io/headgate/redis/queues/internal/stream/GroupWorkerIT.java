package io.headgate.redis.queues.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Job;
import io.headgate.queues.Lease;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.queues.worker.FailurePolicy;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.queues.worker.Worker;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Workers of a group on a real Redis, with the clock of Redis. */
@Timeout(120)
class GroupWorkerIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final RetryPolicy WITHOUT_DELAY = RetryPolicy.DEFAULT.withWaits(Duration.ZERO, Duration.ZERO);

    @RegisterExtension
    static final OwnStreams REDIS = new OwnStreams();

    private final ConsumerGroup<String> billing = REDIS.billing();
    private final Map<String, AtomicInteger> handled = new ConcurrentHashMap<>();

    private static void produce(int from, int to) {
        for (int at = from; at < to; at += 500) {
            REDIS.stream()
                    .produceAll(IntStream.range(at, Math.min(to, at + 500))
                            .mapToObj(i -> NewEntry.of("e" + i))
                            .toList());
        }
    }

    private void recordHandled(Job<String> job) {
        handled.computeIfAbsent(job.payload(), none -> new AtomicInteger()).incrementAndGet();
    }

    private void awaitHandled(int count) {
        Await.until("all to be handled", LONG, () -> handled.size() == count && allIsSettled());
    }

    private boolean allIsSettled() {
        QueueCounts retries = billing.retryCounts();
        return REDIS.pending() + retries.ready() + retries.delayed() + retries.leased() == 0;
    }

    @Test
    void workers_of_two_processes_handle_every_entry_once() {
        produce(0, 2000);
        try (Worker one = Worker.of(billing).start(this::recordHandled);
                Worker other = Worker.of(REDIS.otherBilling()).start(this::recordHandled)) {
            awaitHandled(2000);
            assertThat(handled.values()).allMatch(times -> times.get() == 1);
        }
    }

    @Test
    void an_idle_worker_is_woken_when_an_entry_is_produced() {
        try (Worker worker = Worker.of(billing).start(this::recordHandled)) {
            // Without signals, the worker would handle one entry a second, and the test would exceed its timeout.
            for (int i = 0; i < 200; i++) {
                int count = i;
                Await.until("the worker to wait", LONG, () -> Long.valueOf(1)
                        .equals(REDIS.probe.command("EXISTS", OwnStreams.KEY + ":awaited")));
                produce(count, count + 1);
                Await.until("entry " + i, LONG, () -> handled.size() == count + 1);
            }
        }
    }

    @Test
    void a_failed_entry_is_retried_until_it_succeeds() {
        produce(0, 300);
        Map<String, AtomicInteger> failed = new ConcurrentHashMap<>();
        try (Worker worker = Worker.of(billing).retries(WITHOUT_DELAY).start(job -> {
            if (failed.computeIfAbsent(job.payload(), none -> new AtomicInteger())
                            .incrementAndGet()
                    < 3) {
                throw new IllegalStateException("not yet");
            }
            assertThat(job.attempt()).isEqualTo(3);
            assertThat(job.causes()).hasSize(2);
            recordHandled(job);
        })) {
            awaitHandled(300);
            assertThat(handled.values()).allMatch(times -> times.get() == 1);
        }
    }

    @Test
    void an_entry_that_the_failure_policy_gives_up_is_a_dead_letter_of_the_group() {
        produce(0, 20);
        try (Worker worker = Worker.of(billing)
                .onFailure((job, failure) -> FailurePolicy.Action.DEAD_LETTER)
                .start(job -> {
                    throw new IllegalStateException("hopeless");
                })) {
            Await.until("dead letters", LONG, () -> billing.retryCounts().dead() == 20);
        }
        assertThat(allIsSettled()).isTrue();
    }

    /** Defect in asynq (#1144): the entries of a dead consumer stay active forever, without a lease. */
    @Test
    void a_worker_takes_over_the_entries_of_a_dead_consumer() {
        produce(0, 50);
        GroupSettings quick = GroupSettings.of("billing").withMinIdle(Duration.ofMillis(200));
        List<Lease<String>> dead = REDIS.otherBilling(quick).claim(50);
        assertThat(dead).hasSize(50);
        try (Worker worker = Worker.of(REDIS.billing(quick)).start(this::recordHandled)) {
            awaitHandled(50);
        }
        assertThat(dead).noneMatch(lease -> lease.ack() == Settled.DONE);
    }

    /** Defects in bullmq (#3183): a job whose lease is not renewed runs twice; in rq (#2424): a job that succeeds is declared abandoned. */
    @Test
    void a_handler_may_take_longer_than_the_minimum_idle_time() throws Exception {
        produce(0, 1);
        GroupSettings quick = GroupSettings.of("billing").withMinIdle(Duration.ofMillis(300));
        CountDownLatch release = new CountDownLatch(1);
        try (Worker slow = Worker.of(REDIS.billing(quick)).start(job -> {
            release.await();
            recordHandled(job);
        })) {
            Await.until("the slow worker to claim the entry", LONG, () -> REDIS.pending() == 1);
            try (Worker other = Worker.of(REDIS.otherBilling(quick)).start(this::recordHandled)) {
                long from = System.nanoTime();
                Await.until(
                        "several times the minimum idle time", LONG, () -> System.nanoTime() - from > 1_500_000_000L);
                assertThat(handled).isEmpty();
                release.countDown();
                awaitHandled(1);
                assertThat(handled.values()).allMatch(times -> times.get() == 1);
            }
        }
    }

    @Test
    void a_closed_worker_hands_back_unfinished_entries() {
        produce(0, 200);
        CountDownLatch never = new CountDownLatch(1);
        Worker worker = Worker.of(billing).concurrency(2).start(job -> never.await());
        Await.until("entries to be pending", LONG, () -> REDIS.pending() >= 2);
        worker.close(Duration.ZERO);
        assertThat(REDIS.pending()).isZero();
        Queue<Job<String>> again = new ConcurrentLinkedQueue<>();
        try (Worker next = Worker.of(REDIS.otherBilling()).start(job -> {
            again.add(job);
            recordHandled(job);
        })) {
            awaitHandled(200);
        }
        assertThat(again).hasSize(200).allMatch(job -> job.attempt() == 1 && job.crashes() == 0);
    }

    @Test
    void a_worker_continues_after_all_data_was_flushed() {
        try (Worker worker = Worker.of(billing).start(this::recordHandled)) {
            produce(0, 10);
            awaitHandled(10);
            for (int round = 1; round < 5; round++) {
                REDIS.probe.flushAll();
                produce(10 * round, 10 * round + 10);
                int all = 10 * round + 10;
                Await.until("all entries that were produced after the flush", LONG, () -> handled.size() == all);
            }
        }
    }

    @Test
    void a_lease_beyond_the_minimum_idle_time_is_rejected() {
        assertThatThrownBy(() -> Worker.of(billing).lease(Duration.ofMinutes(2)))
                .hasMessage("a lease of group billing must be at most PT1M, was PT2M");
    }
}
