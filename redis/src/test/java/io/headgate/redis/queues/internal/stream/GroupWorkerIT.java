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

/** Workers of a group, on a real Redis, by its own clock. */
@Timeout(120)
class GroupWorkerIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final RetryPolicy AT_ONCE = RetryPolicy.DEFAULT.withWaits(Duration.ZERO, Duration.ZERO);

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

    private void note(Job<String> job) {
        handled.computeIfAbsent(job.payload(), none -> new AtomicInteger()).incrementAndGet();
    }

    private void awaitHandled(int count) {
        Await.until("all to be handled", LONG, () -> handled.size() == count && allIsSettled());
    }

    private boolean allIsSettled() {
        QueueCounts retries = billing.retries();
        return REDIS.pending() + retries.ready() + retries.delayed() + retries.leased() == 0;
    }

    @Test
    void workers_of_two_processes_handle_every_entry_once() {
        produce(0, 2000);
        try (Worker one = Worker.of(billing).start(this::note);
                Worker other = Worker.of(REDIS.othersBilling()).start(this::note)) {
            awaitHandled(2000);
            assertThat(handled.values()).allMatch(times -> times.get() == 1);
        }
    }

    @Test
    void a_worker_that_waits_is_woken_by_what_is_produced() {
        try (Worker worker = Worker.of(billing).start(this::note)) {
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
    void what_fails_is_tried_again_until_it_is_done() {
        produce(0, 300);
        Map<String, AtomicInteger> failed = new ConcurrentHashMap<>();
        try (Worker worker = Worker.of(billing).retries(AT_ONCE).start(job -> {
            if (failed.computeIfAbsent(job.payload(), none -> new AtomicInteger())
                            .incrementAndGet()
                    < 3) {
                throw new IllegalStateException("not yet");
            }
            assertThat(job.attempt()).isEqualTo(3);
            assertThat(job.causes()).hasSize(2);
            note(job);
        })) {
            awaitHandled(300);
            assertThat(handled.values()).allMatch(times -> times.get() == 1);
        }
    }

    @Test
    void what_is_given_up_is_a_dead_letter_of_the_group() {
        produce(0, 20);
        try (Worker worker = Worker.of(billing)
                .onFailure((job, failure) -> FailurePolicy.Action.DEAD_LETTER)
                .start(job -> {
                    throw new IllegalStateException("hopeless");
                })) {
            Await.until("dead letters", LONG, () -> billing.retries().dead() == 20);
        }
        assertThat(allIsSettled()).isTrue();
    }

    /** asynq#1144: the entries of a dead consumer stay active forever, without a lease. */
    @Test
    void a_worker_takes_over_what_a_dead_consumer_had() {
        produce(0, 50);
        GroupSettings quick = GroupSettings.of("billing").withMinIdle(Duration.ofMillis(200));
        List<Lease<String>> dead = REDIS.othersBilling(quick).claim(50);
        assertThat(dead).hasSize(50);
        try (Worker worker = Worker.of(REDIS.billing(quick)).start(this::note)) {
            awaitHandled(50);
        }
        assertThat(dead).noneMatch(lease -> lease.ack() == Settled.DONE);
    }

    /** bullmq#3183: a lease that is not renewed runs twice. rq#2424: what succeeds is declared abandoned. */
    @Test
    void a_handler_may_take_longer_than_the_minimum_idle_time() throws Exception {
        produce(0, 1);
        GroupSettings quick = GroupSettings.of("billing").withMinIdle(Duration.ofMillis(300));
        CountDownLatch release = new CountDownLatch(1);
        try (Worker slow = Worker.of(REDIS.billing(quick)).start(job -> {
            release.await();
            note(job);
        })) {
            Await.until("the slow worker to claim the entry", LONG, () -> REDIS.pending() == 1);
            try (Worker other = Worker.of(REDIS.othersBilling(quick)).start(this::note)) {
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
    void a_worker_that_is_closed_hands_back_what_it_has_not_done() {
        produce(0, 200);
        CountDownLatch never = new CountDownLatch(1);
        Worker worker = Worker.of(billing).concurrency(2).start(job -> never.await());
        Await.until("entries to be pending", LONG, () -> REDIS.pending() >= 2);
        worker.close(Duration.ZERO);
        assertThat(REDIS.pending()).isZero();
        Queue<Job<String>> again = new ConcurrentLinkedQueue<>();
        try (Worker next = Worker.of(REDIS.othersBilling()).start(job -> {
            again.add(job);
            note(job);
        })) {
            awaitHandled(200);
        }
        assertThat(again).hasSize(200).allMatch(job -> job.attempt() == 1 && job.crashes() == 0);
    }

    @Test
    void a_worker_survives_that_redis_forgets_everything() {
        try (Worker worker = Worker.of(billing).start(this::note)) {
            produce(0, 10);
            awaitHandled(10);
            for (int round = 1; round < 5; round++) {
                REDIS.probe.flushAll();
                produce(10 * round, 10 * round + 10);
                int all = 10 * round + 10;
                Await.until("what was produced after a loss", LONG, () -> handled.size() == all);
            }
        }
    }

    @Test
    void a_lease_beyond_the_minimum_idle_time_is_refused() {
        assertThatThrownBy(() -> Worker.of(billing).lease(Duration.ofMinutes(2)))
                .hasMessage("a lease of group billing must be at most PT1M, was PT2M");
    }
}
