package io.headgate.redis.queues.internal.shards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.redis.queues.ShardKeys;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers of a queue of several shards, with the clock of Redis. */
@Timeout(120)
class ShardedWorkerIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final Duration LONG = Duration.ofSeconds(30);

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final RedisQueueEngine engine = Engines.queues(REDIS.url());
    private final JobQueue<String> queue = engine.queue(QueueSettings.of("work").withShards(4), Codec.text());
    private final Set<String> handled = ConcurrentHashMap.newKeySet();

    /** Counts what a worker reports. */
    private static final class EventCounts implements WorkerListener {

        private final AtomicInteger acked = new AtomicInteger();
        private final AtomicInteger lost = new AtomicInteger();
        private final AtomicInteger errors = new AtomicInteger();

        @Override
        public void onAcked(Job<?> job) {
            acked.incrementAndGet();
        }

        @Override
        public void onLeaseLost(JobId id) {
            lost.incrementAndGet();
        }

        @Override
        public void onQueueError(QueueException problem) {
            errors.incrementAndGet();
        }
    }

    @BeforeEach
    void empty() {
        probe.flushAll();
    }

    @AfterEach
    void close() {
        engine.close();
        probe.close();
    }

    private long calls() {
        return probe.commandCalls().getOrDefault("EVALSHA", 0L);
    }

    /** Makes every call to the third shard fail. */
    private void breakShard() {
        if (Long.valueOf(1).equals(probe.command("EXISTS", "hg:q:{work:2}"))) {
            probe.command("RENAME", "hg:q:{work:2}", "elsewhere");
        }
        probe.command("SET", "hg:q:{work:2}", "foreign");
    }

    private void restoreShard() {
        probe.command("DEL", "hg:q:{work:2}");
        if (Long.valueOf(1).equals(probe.command("EXISTS", "elsewhere"))) {
            probe.command("RENAME", "elsewhere", "hg:q:{work:2}");
        }
    }

    private void awaitEmpty() {
        Await.until("the queue is empty", LONG, () -> {
            QueueCounts counts = queue.counts();
            return counts.ready() + counts.delayed() + counts.leased() == 0;
        });
    }

    @Test
    void every_job_of_every_shard_is_handled_once() {
        for (int i = 0; i < 1000; i++) {
            queue.enqueue("job" + i, Duration.ofMillis(100L * (i % 5)));
        }
        AtomicInteger calls = new AtomicInteger();
        try (Worker one = Worker.of(queue).start(job -> {
                    calls.incrementAndGet();
                    handled.add(job.payload());
                });
                Worker other = Worker.of(queue).concurrency(2).start(job -> {
                    calls.incrementAndGet();
                    handled.add(job.payload());
                })) {
            Await.until("all are handled", LONG, () -> handled.size() == 1000);
            awaitEmpty();
        }
        assertThat(calls).hasValue(1000);
    }

    @Test
    void failed_jobs_of_all_shards_are_retried_and_dead_lettered() {
        for (int i = 0; i < 20; i++) {
            queue.enqueue("job" + i);
        }
        RetryPolicy retries = RetryPolicy.DEFAULT
                .withWaits(Duration.ofMillis(1), Duration.ofMillis(5))
                .withAttempts(3);
        try (Worker worker = Worker.of(queue).retries(retries).start(job -> {
            handled.add(job.payload() + " " + job.attempt());
            throw new IllegalStateException("no");
        })) {
            awaitEmpty();
        }
        assertThat(handled).hasSize(60);
        assertThat(queue.deadLetters().list(100).items()).hasSize(20);
    }

    @Test
    void settlements_that_failed_in_one_shard_are_retried() {
        for (int i = 0; i < 8; i++) {
            queue.enqueue("job" + i);
        }
        EventCounts events = new EventCounts();
        CountDownLatch started = new CountDownLatch(8);
        CountDownLatch proceed = new CountDownLatch(1);
        try (Worker worker = Worker.of(queue).listener(events).start(job -> {
            started.countDown();
            assertThat(proceed.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        })) {
            Await.until("all have started", LONG, () -> started.getCount() == 0);
            breakShard();
            proceed.countDown();
            Await.until(
                    "those of other shards are acked", LONG, () -> events.acked.get() == 6 && events.errors.get() > 0);
            restoreShard();
            Await.until("all are acked", LONG, () -> events.acked.get() == 8);
            awaitEmpty();
        }
        assertThat(events.lost).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_failing_shard_does_not_block_the_others(boolean firstJobInFailingShard) {
        EventCounts events = new EventCounts();
        CountDownLatch proceed = new CountDownLatch(1);
        queue.enqueue(NewJob.of("first").once(ShardKeys.first("k", firstJobInFailingShard ? 2 : 3, 4)));
        try (Worker worker = Worker.of(queue).listener(events).start(job -> {
            handled.add(job.payload());
            assertThat(proceed.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        })) {
            Await.until("the first has started", LONG, () -> handled.contains("first"));
            breakShard();
            proceed.countDown();
            Await.until("the worker reported an error", LONG, () -> events.errors.get() > 0);
            // One after the other, so that each job takes at least one poll.
            ShardKeys.of("k", 1, 4).limit(300).forEach(key -> {
                queue.enqueue(NewJob.of(key).once(key));
                Await.until("it is handled", LONG, () -> handled.contains(key));
            });
            int errors = events.errors.get();
            restoreShard();
            Await.until("all are acked", LONG, () -> events.acked.get() == 301);
            awaitEmpty();
            assertThat(errors).isLessThan(100);
        }
        assertThat(events.lost).hasValue(0);
    }

    @Test
    void a_claim_fails_each_time_when_every_shard_fails() {
        queue.enqueue("job");
        for (String key : List.of("hg:q:{work}", "hg:q:{work:1}", "hg:q:{work:2}", "hg:q:{work:3}")) {
            probe.command("SET", key, "foreign");
        }
        long before = calls();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> queue.claim(10, LONG))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("holds no queue");
        }
        // The first claim polls one shard, then two more; since all fail, it skips the last. Later claims poll all four
        // in parallel.
        assertThat(calls() - before).isEqualTo(3 + 4 + 4);
    }
}
