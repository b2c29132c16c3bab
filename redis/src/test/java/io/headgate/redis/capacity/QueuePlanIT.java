package io.headgate.redis.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.headgate.queues.Job;
import io.headgate.queues.KeepDone;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a plan of a queue says is what a Redis shows that is filled and worked on so, within 15 percent. */
@ServerVersionSensitive
class QueuePlanIT {

    private static final Percentage CLOSE = withinPercentage(15);
    private static final int PER_SECOND = 1000;
    /** So that nothing comes while a worker is in a call, and more often than it asks by itself. */
    private static final int SELDOM = 20;

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final String MALLOC_STATS = mallocStats();

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1, 50000", "0, 10, 50000", "0, 500, 50000",
        "100, 1, 20000", "100, 10, 20000", "100, 500, 20000",
        "1000, 1, 5000", "1000, 10, 5000", "1000, 500, 5000",
        "20000, 1, 500", "20000, 10, 500", "20000, 25, 500"
    })
    void memory_of_jobs_that_are_ready(int payload, int batch, int jobs) {
        try (FilledQueue redis = new FilledQueue(REDIS.url(), payload, batch, Duration.ZERO, 0)) {
            redis.enqueue(jobs);
            assertMemory(redis, plan(payload, batch).jobsWaiting(jobs));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 100",
        "0, 40000",
        "100, 100",
        "100, 3000",
        "1000, 3000",
        "20000, 500",
    })
    void memory_of_jobs_that_are_delayed(int payload, int jobs) {
        try (FilledQueue redis = new FilledQueue(REDIS.url(), payload, 10, FilledQueue.HOUR, 0)) {
            redis.enqueue(jobs);
            assertMemory(redis, plan(payload, 10).delay(FilledQueue.HOUR).jobsWaiting(jobs));
            assertMemory(redis, plan(payload, 10).delay(Duration.ofSeconds(jobs).dividedBy(PER_SECOND)));
        }
    }

    /** bullmq#2734: 10 GB for 4.5 million delayed jobs, which is 2 200 bytes for each. */
    @Test
    void a_delayed_job_takes_little_memory() {
        try (FilledQueue redis = new FilledQueue(REDIS.url(), 100, 10, FilledQueue.HOUR, 0)) {
            redis.enqueue(4000);
            assertThat(redis.bytes()).isLessThan(4000 * 260);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1, 1, 4000",
        "100, 1, 1, 4000",
        "100, 10, 10, 4000",
        "100, 1, 100, 4000",
        "1000, 500, 100, 3000",
        "1000, 10, 1, 100",
        "20000, 1, 5, 300",
    })
    void memory_of_leased_jobs(int payload, int batch, int claimed, int jobs) {
        try (FilledQueue redis = new FilledQueue(REDIS.url(), payload, batch, Duration.ZERO, 0)) {
            redis.claim(jobs, claimed);
            assertMemory(
                    redis,
                    plan(payload, batch)
                            .jobsWaiting(0)
                            .claimedByHand(claimed)
                            .handling(Duration.ofSeconds(jobs).dividedBy(PER_SECOND)));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 3000", "100, 3, 3000", "1000, 10, 2000", "20000, 3, 300", "100, 60, 300"})
    void memory_of_dead_letters(int payload, int attempts, int jobs) {
        try (FilledQueue redis = new FilledQueue(REDIS.url(), payload, 10, Duration.ZERO, 0)) {
            redis.fail(jobs, attempts, work -> work.deadLetterSettlement(FilledQueue.cause()));
            assertMemory(
                    redis,
                    plan(payload, 10)
                            .jobsWaiting(0)
                            .handling(Duration.ZERO)
                            .failing(0, attempts)
                            .deadLetters(jobs));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 3000", "100, 3000", "1000, 2000", "20000, 300"})
    void memory_of_jobs_that_wait_for_another_attempt(int payload, int jobs) {
        try (FilledQueue redis = new FilledQueue(REDIS.url(), payload, 10, Duration.ZERO, 0)) {
            redis.fail(jobs, 1, work -> work.retrySettlement(FilledQueue.HOUR, FilledQueue.cause()));
            // Half of the attempts fail, of two, so half as many wait as come meanwhile.
            assertMemory(
                    redis,
                    plan(payload, 10)
                            .jobsWaiting(0)
                            .handling(Duration.ZERO)
                            .failing(0.5, 2)
                            .backoff(Duration.ofSeconds(2L * jobs).dividedBy(PER_SECOND)));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 1", "100, 1, 0.3", "1000, 1, 0.5", "100, 10, 0.02", "100, 10, 0.5"})
    void memory_of_jobs_with_keys(int payload, int batch, double keyed) {
        for (Duration delay : List.of(Duration.ZERO, FilledQueue.HOUR)) {
            try (FilledQueue redis = new FilledQueue(REDIS.url(), payload, batch, delay, keyed)) {
                redis.enqueue(5000);
                assertMemory(
                        redis,
                        plan(payload, batch).keyed(keyed, 36).delay(delay).jobsWaiting(5000));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"100, 10, 10, 0.1", "1000, 1, 1, 0.3"})
    void memory_of_all_together(int payload, int batch, int claimed, double keyed) {
        try (FilledQueue redis = new FilledQueue(REDIS.url(), payload, batch, FilledQueue.HOUR, keyed)) {
            redis.fail(500, 3, work -> work.deadLetterSettlement(FilledQueue.cause()));
            redis.claim(500, claimed);
            redis.enqueue(3000);
            QueuePlan.Builder plan = plan(payload, batch)
                    .keyed(keyed, 36)
                    .delay(FilledQueue.HOUR)
                    .claimedByHand(claimed)
                    .handling(Duration.ofMillis(500))
                    .failing(0, 3)
                    .deadLetters(500);
            assertMemory(redis, plan.jobsWaiting(3000));
            QueuePlan peak =
                    plan.jobsWaiting(1000).standstill(Duration.ofSeconds(2)).build();
            UsedMemory.assertPlanned(REDIS, redis.bytes(), peak.peakBytes());
            assertThat(redis.keys()).isEqualTo(peak.peakKeys());
        }
    }

    @ParameterizedTest
    @CsvSource({
        // payload, batch, claimed, delayed, keyed, shards
        "100, 10, 10, false, 0, 4",
        "1000, 1, 5, true, 0, 3",
        "100, 1, 10, false, 0.3, 8",
        "0, 500, 100, false, 0, 2"
    })
    void memory_of_shards(int payload, int batch, int claimed, boolean delayed, double keyed, int shards) {
        Duration delay = delayed ? FilledQueue.HOUR : Duration.ZERO;
        QueueSettings settings = QueueSettings.of("orders").withShards(shards);
        try (FilledQueue redis = new FilledQueue(REDIS.url(), payload, batch, delay, keyed, settings)) {
            redis.claim(1000, claimed);
            redis.enqueue(4000);
            assertMemory(
                    redis,
                    plan(payload, batch)
                            .shards(shards)
                            .keyed(keyed, 36)
                            .delay(delay)
                            .jobsWaiting(4000)
                            .claimedByHand(claimed)
                            .handling(Duration.ofSeconds(1)));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 100, 1", "0, 1, 3000, 1", "100, 0, 3000, 1", "1000, 0.5, 2000, 1", "100, 0.3, 1600, 4"})
    void memory_of_done_jobs(int payload, double keyed, int kept, int shards) {
        QueueSettings settings = QueueSettings.of("orders").withShards(shards).withKeepDone(KeepDone.newest(kept));
        try (FilledQueue redis = new FilledQueue(REDIS.url(), payload, 1, Duration.ZERO, keyed, settings)) {
            redis.enqueue(2 * kept);
            // Few at a time: what was large once stays a table.
            redis.workOff(20, 2 * kept, work -> work.ackSettlement());
            QueuePlan.Builder plan = plan(payload, 1)
                    .shards(shards)
                    .keyed(keyed, 36)
                    .handling(Duration.ZERO)
                    .jobsWaiting(0);
            assertMemory(redis, plan.keepDone(settings.keepDone()));
            Duration time = Duration.ofSeconds(kept).dividedBy(PER_SECOND);
            assertMemory(redis, plan.keepDone(KeepDone.forTime(time)));
        }
    }

    @ParameterizedTest
    @CsvSource({
        // payload, batch, claimed, keyed, shards, kept
        "100, 10, 10, 0, 4, 0", "100, 1, 1, 0, 8, 0", "1000, 1, 10, 0.3, 4, 0", "100, 500, 100, 0, 4, 0",
        "100, 10, 10, 0, 1, 100", "100, 1, 1, 0.3, 1, 100", "1000, 1, 100, 0, 1, 100", "100, 10, 10, 0, 4, 100"
    })
    void calls_by_hand_of_shards_and_where_done_jobs_are_kept(
            int payload, int batch, int claimed, double keyed, int shards, int kept) {
        int jobs = 2000;
        KeepDone keepDone = kept > 0 ? KeepDone.newest(kept) : KeepDone.none();
        QueueSettings settings = QueueSettings.of("orders").withShards(shards).withKeepDone(keepDone);
        try (FilledQueue redis = new FilledQueue(REDIS.url(), payload, batch, Duration.ZERO, keyed, settings)) {
            redis.count();
            redis.enqueue(jobs);
            redis.workOff(claimed, jobs, work -> work.ackSettlement());
            assertCalls(
                    redis,
                    jobs,
                    plan(payload, batch)
                            .shards(shards)
                            .keepDone(keepDone)
                            .keyed(keyed, 36)
                            .claimedByHand(claimed)
                            .build());
        }
    }

    @ParameterizedTest
    @CsvSource({
        // payload, batch, claimed, delayed, keyed
        "0, 1, 1, false, 0", "100, 1, 10, false, 0", "1000, 10, 1, false, 0", "20000, 10, 10, false, 0",
        "100, 10, 10, false, 0", "100, 500, 500, false, 0", "100, 500, 10, false, 0", "1000, 500, 100, false, 0",
        "20000, 1, 500, false, 0", "100, 1, 500, false, 0", "100, 10, 100, false, 0", "100, 10, 25, false, 0",
        "0, 1, 1, true, 0", "100, 10, 10, true, 0", "1000, 200, 100, true, 0", "20000, 10, 100, true, 0",
        "100, 1, 1, false, 1", "100, 1, 10, false, 0.3", "1000, 10, 10, true, 0.5", "100, 10, 10, false, 0.02"
    })
    void calls_by_hand(int payload, int batch, int claimed, boolean delayed, double keyed) {
        Duration delay = delayed ? FilledQueue.AT_ONCE : Duration.ZERO;
        int jobs = payload > 10_000 ? 500 : Math.max(1500, 6 * batch);
        try (FilledQueue redis = new FilledQueue(REDIS.url(), payload, batch, delay, keyed)) {
            redis.count();
            redis.enqueue(jobs);
            redis.workOff(claimed, jobs, work -> work.ackSettlement());
            assertCalls(
                    redis,
                    jobs,
                    plan(payload, batch)
                            .keyed(keyed, 36)
                            .delay(delay)
                            .claimedByHand(claimed)
                            .build());
        }
    }

    @ParameterizedTest
    @CsvSource({"100, 1, 1", "100, 10, 10", "1000, 10, 100"})
    void calls_when_attempts_fail(int payload, int batch, int claimed) {
        int jobs = 1500;
        double failing = 0.4;
        SplittableRandom random = new SplittableRandom(7);
        try (FilledQueue redis = new FilledQueue(REDIS.url(), payload, batch, Duration.ZERO, 0)) {
            redis.count();
            redis.enqueue(jobs);
            int attempts = 3;
            int left = jobs;
            while (left > 0) {
                int[] again = {0};
                redis.workOff(claimed, left, work -> {
                    if (random.nextDouble() >= failing) {
                        return work.ackSettlement();
                    }
                    if (work.job().attempt() == attempts) {
                        return work.deadLetterSettlement(FilledQueue.cause());
                    }
                    again[0]++;
                    return work.retrySettlement(FilledQueue.AT_ONCE, FilledQueue.cause());
                });
                left = again[0];
            }
            assertCalls(
                    redis,
                    jobs,
                    plan(payload, batch)
                            .claimedByHand(claimed)
                            .failing(failing, attempts)
                            .build());
        }
    }

    @ParameterizedTest
    @CsvSource({"100, 1, 1, 1", "1000, 1, 3, 1", "100, 5, 2, 1", "100, 1, 1, 4", "100, 1, 2, 8"})
    void calls_of_workers_at_low_traffic(int payload, int batch, int workers, int shards) throws Exception {
        int rounds = 200;
        QueueSettings settings = QueueSettings.of("orders").withShards(shards);
        try (FilledQueue redis = new FilledQueue(REDIS.url(), payload, batch, Duration.ZERO, 0, settings)) {
            LinkedBlockingQueue<Job<?>> done = new LinkedBlockingQueue<>();
            List<Worker> all = new ArrayList<>();
            for (int i = 0; i < workers; i++) {
                // Each has the queue for itself, as in a process of its own.
                all.add(Worker.of(redis.open())
                        .concurrency(10)
                        .listener(new WorkerListener() {
                            @Override
                            public void onAcked(Job<?> job) {
                                done.add(job);
                            }
                        })
                        .start(job -> {}));
            }
            redis.enqueue(batch);
            for (int i = 0; i < batch; i++) {
                assertThat(done.poll(30, TimeUnit.SECONDS)).isNotNull();
            }
            redis.count();
            for (int round = 0; round < rounds; round++) {
                redis.enqueue(batch);
                for (int i = 0; i < batch; i++) {
                    assertThat(done.poll(30, TimeUnit.SECONDS)).isNotNull();
                }
            }
            assertCalls(
                    redis,
                    rounds * batch * PER_SECOND / SELDOM,
                    plan(payload, batch)
                            .shards(shards)
                            .enqueuedPerSecond(SELDOM)
                            .workers(workers, 10)
                            .handling(Duration.ZERO)
                            .roundTrip(Duration.ofNanos(1000))
                            .build());
            all.forEach(Worker::close);
        }
    }

    private static void assertMemory(FilledQueue redis, QueuePlan.Builder builder) {
        QueuePlan plan = builder.build();
        assertThat(redis.keys()).isEqualTo(plan.averageKeys());
        UsedMemory.assertPlanned(REDIS, redis.bytes(), plan.averageBytes());
    }

    private static void assertCalls(FilledQueue redis, int jobs, QueuePlan plan) {
        double share = (double) jobs / PER_SECOND;
        // First, as it also counts the commands that read the others.
        assertThat((double) redis.bytesIn()).isCloseTo(plan.bytesInPerSecond() * share, CLOSE);
        assertThat((double) redis.bytesOut()).isCloseTo(plan.bytesOutPerSecond() * share, CLOSE);
        assertThat((double) redis.calls("EVALSHA")).isCloseTo(plan.roundTripsPerSecond() * share, CLOSE);
        assertThat((double) redis.commands()).isCloseTo(plan.commandsPerSecond() * share, CLOSE);
    }

    private static QueuePlan.Builder plan(int payload, int batch) {
        return QueuePlan.builder()
                .enqueuedPerSecond(PER_SECOND)
                .payloadBytes(payload)
                .batch(batch)
                .workers(100, 100)
                .handling(Duration.ZERO)
                .mallocStats(MALLOC_STATS);
    }

    private static String mallocStats() {
        try (RedisProbe probe = RedisProbe.of(REDIS.url())) {
            return String.valueOf(probe.command("MEMORY", "MALLOC-STATS"));
        }
    }
}
