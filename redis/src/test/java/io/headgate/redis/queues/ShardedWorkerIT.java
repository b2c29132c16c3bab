package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.Codec;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.NewJob;
import io.headgate.queues.Queue;
import io.headgate.queues.QueueCounts;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.RetryPolicy;
import io.headgate.queues.Worker;
import io.headgate.queues.WorkerListener;
import io.headgate.redis.limits.Engines;
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

/** A worker at a queue of several shards, on a real Redis and by its own clock. */
@Timeout(120)
class ShardedWorkerIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final Duration LONG = Duration.ofSeconds(30);

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final RedisQueues engine = Engines.queues(REDIS.url());
    private final Queue<String> queue = engine.queue(QueueSettings.of("work").withShards(4), Codec.text());
    private final Set<String> handled = ConcurrentHashMap.newKeySet();

    /** Counts what a worker tells. */
    private static final class Heard implements WorkerListener {

        private final AtomicInteger acked = new AtomicInteger();
        private final AtomicInteger lost = new AtomicInteger();
        private final AtomicInteger troubles = new AtomicInteger();

        @Override
        public void onAcked(Job<?> job) {
            acked.incrementAndGet();
        }

        @Override
        public void onLeaseLost(JobId id) {
            lost.incrementAndGet();
        }

        @Override
        public void onTrouble(QueueException problem) {
            troubles.incrementAndGet();
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

    /** Whatever the third shard is asked fails. */
    private void breakShard() {
        if (Long.valueOf(1).equals(probe.command("EXISTS", "hg:q:{work:2}"))) {
            probe.command("RENAME", "hg:q:{work:2}", "elsewhere");
        }
        probe.command("SET", "hg:q:{work:2}", "foreign");
    }

    private void mendShard() {
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
    void a_job_that_failed_is_tried_again_and_given_up_in_its_shard() {
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
    void what_could_not_be_said_at_one_shard_is_said_again() {
        for (int i = 0; i < 8; i++) {
            queue.enqueue("job" + i);
        }
        Heard heard = new Heard();
        CountDownLatch begun = new CountDownLatch(8);
        CountDownLatch goOn = new CountDownLatch(1);
        try (Worker worker = Worker.of(queue).listener(heard).start(job -> {
            begun.countDown();
            assertThat(goOn.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        })) {
            Await.until("all have begun", LONG, () -> begun.getCount() == 0);
            breakShard();
            goOn.countDown();
            Await.until(
                    "those of other shards are acked", LONG, () -> heard.acked.get() == 6 && heard.troubles.get() > 0);
            mendShard();
            Await.until("all are acked", LONG, () -> heard.acked.get() == 8);
            awaitEmpty();
        }
        assertThat(heard.lost).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void one_shard_that_fails_does_not_keep_the_others_waiting(boolean hasAJobOfIt) {
        Heard heard = new Heard();
        CountDownLatch goOn = new CountDownLatch(1);
        queue.enqueue(NewJob.of("first").once(ShardKeys.first("k", hasAJobOfIt ? 2 : 3, 4)));
        try (Worker worker = Worker.of(queue).listener(heard).start(job -> {
            handled.add(job.payload());
            assertThat(goOn.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        })) {
            Await.until("the first has begun", LONG, () -> handled.contains("first"));
            breakShard();
            goOn.countDown();
            Await.until("it was in trouble", LONG, () -> heard.troubles.get() > 0);
            // One after the other, so each is a turn of its own at least.
            ShardKeys.of("k", 1, 4).limit(300).forEach(key -> {
                queue.enqueue(NewJob.of(key).once(key));
                Await.until("it is handled", LONG, () -> handled.contains(key));
            });
            int troubles = heard.troubles.get();
            mendShard();
            Await.until("all are acked", LONG, () -> heard.acked.get() == 301);
            awaitEmpty();
            assertThat(troubles).isLessThan(100);
        }
        assertThat(heard.lost).hasValue(0);
    }

    @Test
    void a_claim_fails_each_time_when_no_shard_can_be_asked() {
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
        // One and then two more; when none of those answers, the last is not asked. From then on all at once.
        assertThat(calls() - before).isEqualTo(3 + 4 + 4);
    }
}
