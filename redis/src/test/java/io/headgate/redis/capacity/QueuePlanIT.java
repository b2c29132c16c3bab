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

/** The figures of a plan of a queue are within 15 percent of those measured in a Redis with the planned jobs. */
@ServerVersionSensitive
class QueuePlanIT {

    private static final Percentage CLOSE = withinPercentage(15);
    private static final int PER_SECOND = 1000;
    /** Jobs per second: so few that none arrives while a worker polls, but more than the polls of an idle worker. */
    private static final int LOW_RATE = 20;

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
    void planned_memory_matches_redis_for_ready_jobs(int payload, int batch, int jobs) {
        try (MeasuredQueue redis = new MeasuredQueue(REDIS.url(), payload, batch, Duration.ZERO, 0)) {
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
    void planned_memory_matches_redis_for_delayed_jobs(int payload, int jobs) {
        try (MeasuredQueue redis = new MeasuredQueue(REDIS.url(), payload, 10, MeasuredQueue.HOUR, 0)) {
            redis.enqueue(jobs);
            assertMemory(redis, plan(payload, 10).delay(MeasuredQueue.HOUR).jobsWaiting(jobs));
            assertMemory(redis, plan(payload, 10).delay(Duration.ofSeconds(jobs).dividedBy(PER_SECOND)));
        }
    }

    /** Defect in bullmq (#2734): 10 GB for 4.5 million delayed jobs, which is 2 200 bytes for each. */
    @Test
    void a_delayed_job_takes_less_than_260_bytes() {
        try (MeasuredQueue redis = new MeasuredQueue(REDIS.url(), 100, 10, MeasuredQueue.HOUR, 0)) {
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
    void planned_memory_matches_redis_for_leased_jobs(int payload, int batch, int claimed, int jobs) {
        try (MeasuredQueue redis = new MeasuredQueue(REDIS.url(), payload, batch, Duration.ZERO, 0)) {
            redis.claim(jobs, claimed);
            assertMemory(
                    redis,
                    plan(payload, batch)
                            .jobsWaiting(0)
                            .claimedWithoutWorkers(claimed)
                            .handling(Duration.ofSeconds(jobs).dividedBy(PER_SECOND)));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 3000", "100, 3, 3000", "1000, 10, 2000", "20000, 3, 300", "100, 60, 300"})
    void planned_memory_matches_redis_for_dead_letters(int payload, int attempts, int jobs) {
        try (MeasuredQueue redis = new MeasuredQueue(REDIS.url(), payload, 10, Duration.ZERO, 0)) {
            redis.fail(jobs, attempts, work -> work.deadLetterSettlement(MeasuredQueue.failureCause()));
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
    void planned_memory_matches_redis_for_jobs_that_wait_for_a_retry(int payload, int jobs) {
        try (MeasuredQueue redis = new MeasuredQueue(REDIS.url(), payload, 10, Duration.ZERO, 0)) {
            redis.fail(jobs, 1, work -> work.retrySettlement(MeasuredQueue.HOUR, MeasuredQueue.failureCause()));
            // Half of the first attempts fail, so half of the jobs that are enqueued during the backoff wait for a
            // retry.
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
    void planned_memory_matches_redis_for_jobs_with_keys(int payload, int batch, double keyed) {
        for (Duration delay : List.of(Duration.ZERO, MeasuredQueue.HOUR)) {
            try (MeasuredQueue redis = new MeasuredQueue(REDIS.url(), payload, batch, delay, keyed)) {
                redis.enqueue(5000);
                assertMemory(
                        redis,
                        plan(payload, batch).keyed(keyed, 36).delay(delay).jobsWaiting(5000));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"100, 10, 10, 0.1", "1000, 1, 1, 0.3"})
    void planned_memory_matches_redis_for_jobs_in_several_states(int payload, int batch, int claimed, double keyed) {
        try (MeasuredQueue redis = new MeasuredQueue(REDIS.url(), payload, batch, MeasuredQueue.HOUR, keyed)) {
            redis.fail(500, 3, work -> work.deadLetterSettlement(MeasuredQueue.failureCause()));
            redis.claim(500, claimed);
            redis.enqueue(3000);
            QueuePlan.Builder plan = plan(payload, batch)
                    .keyed(keyed, 36)
                    .delay(MeasuredQueue.HOUR)
                    .claimedWithoutWorkers(claimed)
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
    void planned_memory_matches_redis_for_shards(
            int payload, int batch, int claimed, boolean delayed, double keyed, int shards) {
        Duration delay = delayed ? MeasuredQueue.HOUR : Duration.ZERO;
        QueueSettings settings = QueueSettings.of("orders").withShards(shards);
        try (MeasuredQueue redis = new MeasuredQueue(REDIS.url(), payload, batch, delay, keyed, settings)) {
            redis.claim(1000, claimed);
            redis.enqueue(4000);
            assertMemory(
                    redis,
                    plan(payload, batch)
                            .shards(shards)
                            .keyed(keyed, 36)
                            .delay(delay)
                            .jobsWaiting(4000)
                            .claimedWithoutWorkers(claimed)
                            .handling(Duration.ofSeconds(1)));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 100, 1", "0, 1, 3000, 1", "100, 0, 3000, 1", "1000, 0.5, 2000, 1", "100, 0.3, 1600, 4"})
    void planned_memory_matches_redis_for_done_jobs(int payload, double keyed, int kept, int shards) {
        QueueSettings settings = QueueSettings.of("orders").withShards(shards).withKeepDone(KeepDone.newest(kept));
        try (MeasuredQueue redis = new MeasuredQueue(REDIS.url(), payload, 1, Duration.ZERO, keyed, settings)) {
            redis.enqueue(2 * kept);
            // In small claims: a hash that was large once keeps its hash table.
            redis.claimAndSettle(20, 2 * kept, work -> work.ackSettlement());
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
    void planned_calls_match_redis_without_workers_for_shards_and_kept_done_jobs(
            int payload, int batch, int claimed, double keyed, int shards, int kept) {
        int jobs = 2000;
        KeepDone keepDone = kept > 0 ? KeepDone.newest(kept) : KeepDone.none();
        QueueSettings settings = QueueSettings.of("orders").withShards(shards).withKeepDone(keepDone);
        try (MeasuredQueue redis = new MeasuredQueue(REDIS.url(), payload, batch, Duration.ZERO, keyed, settings)) {
            redis.startMeasuring();
            redis.enqueue(jobs);
            redis.claimAndSettle(claimed, jobs, work -> work.ackSettlement());
            assertCalls(
                    redis,
                    jobs,
                    plan(payload, batch)
                            .shards(shards)
                            .keepDone(keepDone)
                            .keyed(keyed, 36)
                            .claimedWithoutWorkers(claimed)
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
    void planned_calls_match_redis_without_workers(int payload, int batch, int claimed, boolean delayed, double keyed) {
        Duration delay = delayed ? MeasuredQueue.ONE_MICROSECOND : Duration.ZERO;
        int jobs = payload > 10_000 ? 500 : Math.max(1500, 6 * batch);
        try (MeasuredQueue redis = new MeasuredQueue(REDIS.url(), payload, batch, delay, keyed)) {
            redis.startMeasuring();
            redis.enqueue(jobs);
            redis.claimAndSettle(claimed, jobs, work -> work.ackSettlement());
            assertCalls(
                    redis,
                    jobs,
                    plan(payload, batch)
                            .keyed(keyed, 36)
                            .delay(delay)
                            .claimedWithoutWorkers(claimed)
                            .build());
        }
    }

    @ParameterizedTest
    @CsvSource({"100, 1, 1", "100, 10, 10", "1000, 10, 100"})
    void planned_calls_match_redis_when_attempts_fail(int payload, int batch, int claimed) {
        int jobs = 1500;
        double failing = 0.4;
        SplittableRandom random = new SplittableRandom(7);
        try (MeasuredQueue redis = new MeasuredQueue(REDIS.url(), payload, batch, Duration.ZERO, 0)) {
            redis.startMeasuring();
            redis.enqueue(jobs);
            int attempts = 3;
            int unfinished = jobs;
            while (unfinished > 0) {
                int[] retried = {0};
                redis.claimAndSettle(claimed, unfinished, work -> {
                    if (random.nextDouble() >= failing) {
                        return work.ackSettlement();
                    }
                    if (work.job().attempt() == attempts) {
                        return work.deadLetterSettlement(MeasuredQueue.failureCause());
                    }
                    retried[0]++;
                    return work.retrySettlement(MeasuredQueue.ONE_MICROSECOND, MeasuredQueue.failureCause());
                });
                unfinished = retried[0];
            }
            assertCalls(
                    redis,
                    jobs,
                    plan(payload, batch)
                            .claimedWithoutWorkers(claimed)
                            .failing(failing, attempts)
                            .build());
        }
    }

    @ParameterizedTest
    @CsvSource({"100, 1, 1, 1", "1000, 1, 3, 1", "100, 5, 2, 1", "100, 1, 1, 4", "100, 1, 2, 8"})
    void planned_calls_match_redis_for_workers_at_low_traffic(int payload, int batch, int workers, int shards)
            throws Exception {
        int rounds = 200;
        QueueSettings settings = QueueSettings.of("orders").withShards(shards);
        try (MeasuredQueue redis = new MeasuredQueue(REDIS.url(), payload, batch, Duration.ZERO, 0, settings)) {
            LinkedBlockingQueue<Job<?>> done = new LinkedBlockingQueue<>();
            List<Worker> all = new ArrayList<>();
            for (int i = 0; i < workers; i++) {
                // Each worker opens the queue, as in a process of its own.
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
            redis.startMeasuring();
            for (int round = 0; round < rounds; round++) {
                redis.enqueue(batch);
                for (int i = 0; i < batch; i++) {
                    assertThat(done.poll(30, TimeUnit.SECONDS)).isNotNull();
                }
            }
            assertCalls(
                    redis,
                    // The jobs that would be enqueued at PER_SECOND in the time that the rounds take at LOW_RATE.
                    rounds * batch * PER_SECOND / LOW_RATE,
                    plan(payload, batch)
                            .shards(shards)
                            .enqueuedPerSecond(LOW_RATE)
                            .workers(workers, 10)
                            .handling(Duration.ZERO)
                            .roundTrip(Duration.ofNanos(1000))
                            .build());
            all.forEach(Worker::close);
        }
    }

    private static void assertMemory(MeasuredQueue redis, QueuePlan.Builder builder) {
        QueuePlan plan = builder.build();
        assertThat(redis.keys()).isEqualTo(plan.averageKeys());
        UsedMemory.assertPlanned(REDIS, redis.bytes(), plan.averageBytes());
    }

    /** Compares the measured calls with those that the plan states for the time in which this many jobs are enqueued at PER_SECOND. */
    private static void assertCalls(MeasuredQueue redis, int jobs, QueuePlan plan) {
        double share = (double) jobs / PER_SECOND;
        // Read first: reading the other counters adds bytes, too.
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
