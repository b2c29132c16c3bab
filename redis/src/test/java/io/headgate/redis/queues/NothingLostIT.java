package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.queues.QueueException;
import io.headgate.redis.limits.Engines;
import io.headgate.testkit.Await;
import io.headgate.testkit.ChildJvm;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * No job is lost or held by two workers at the same time when workers are killed, replies are cut off, and Redis is killed and restarted
 * from its append-only file. No job is handed out again after its ack was confirmed. In queues that keep done jobs, a job with a key is not
 * handed out again even if it is enqueued again.
 */
class NothingLostIT {

    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final int WORKERS = 3;
    private static final int KILLS = Integer.getInteger("headgate.test.kills", 12);
    private static final int KILLS_PER_KILL_OF_REDIS = 6;
    private static final int JOBS_PER_KILL = 60;

    private static final RedisServer REDIS =
            RedisServer.startOwn("--appendonly", "yes", "--appendfsync", "always", "--save", "");

    private final SplittableRandom random = new SplittableRandom();
    private final FaultProxy proxy = FaultProxy.before(REDIS.url());
    private final RedisQueueEngine engine = Engines.queues(proxy.url());
    private final List<StartedWorker> workers = new ArrayList<>();
    private final JobHistory history = new JobHistory();
    private final Set<String> enqueued = new HashSet<>();
    private int nextNumber;
    private int failedCalls;

    /** A worker process, and the lines of its log so far. */
    private record StartedWorker(ChildJvm jvm, List<String> lines) {

        /** Waits until the worker has claimed jobs; adds more jobs if it claims late because its connection broke. */
        void awaitClaim(Runnable addMore) {
            long start = System.nanoTime();
            while (true) {
                try {
                    jvm.awaitLine(this::isClaim, SHORT);
                    return;
                } catch (AssertionError e) {
                    if (System.nanoTime() - start > LONG.toNanos()) {
                        throw e;
                    }
                    addMore.run();
                }
            }
        }

        private boolean isClaim(String line) {
            lines.add(line);
            return line.startsWith("claimed");
        }

        /** Kills the process, and returns its whole log. */
        List<String> kill() {
            jvm.kill();
            lines.addAll(jvm.awaitOutput(LONG));
            return lines;
        }
    }

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    /** Defect in sidekiq (#1831): without super fetch, a job is lost if the worker crashes after the pop. */
    @ParameterizedTest
    @EnumSource
    void every_job_is_done_and_none_by_two_workers_at_the_same_time_whatever_is_killed(TestedQueue tested) {
        TestedQueue.Jobs jobs = tested.open(engine);
        try (engine;
                proxy) {
            for (int i = 0; i < WORKERS; i++) {
                workers.add(startWorker(tested));
            }
            for (int kill = 1; kill <= KILLS; kill++) {
                enqueueSome(jobs);
                if (kill % KILLS_PER_KILL_OF_REDIS == 0) {
                    REDIS.kill();
                    REDIS.restart();
                    enqueueSome(jobs);
                } else if (kill % 2 == 0) {
                    proxy.cutNextReplyTo("EVALSHA");
                }
                // The worker that has run longest.
                StartedWorker victim = workers.remove(0);
                victim.awaitClaim(() -> enqueueSome(jobs));
                history.read(victim.kill());
                workers.add(startWorker(tested));
            }
            Await.until("every job is done", LONG, () -> isEmpty(jobs));
            if (tested.keepsDone()) {
                enqueued.stream().filter(TestedQueue::hasKey).forEach(payload -> add(jobs, payload, Duration.ZERO));
                Await.until("jobs added again are skipped", LONG, () -> isEmpty(jobs));
            }
            workers.forEach(worker -> history.read(worker.kill()));
        } finally {
            workers.forEach(worker -> worker.jvm.close());
        }
        System.out.println(tested + ", " + KILLS + " kills: " + enqueued.size() + " jobs enqueued, " + history.claims()
                + " handed out, " + (failedCalls + history.failedCalls()) + " calls failed");
        assertThat(history.claims()).isGreaterThan(enqueued.size());
        history.assertDone(enqueued);
        history.assertNoOverlap();
    }

    private StartedWorker startWorker(TestedQueue tested) {
        ChildJvm jvm = ChildJvm.of(RandomWorkerProcess.class)
                .shortLived()
                .jvmOptions("-Xmx64m")
                .start(proxy.url(), tested.name(), Long.toString(random.nextLong()));
        return new StartedWorker(jvm, new ArrayList<>());
    }

    /** Enqueues jobs through the proxy; a job whose call fails may be in the queue or not. */
    private void enqueueSome(TestedQueue.Jobs jobs) {
        for (int i = 0; i < JOBS_PER_KILL; i++) {
            String payload = "job" + nextNumber++;
            if (add(jobs, payload, Duration.ofMillis(random.nextInt(3) * 20L))) {
                enqueued.add(payload);
            }
        }
    }

    private boolean add(TestedQueue.Jobs jobs, String payload, Duration delay) {
        try {
            jobs.add(payload, delay);
            return true;
        } catch (QueueException e) {
            failedCalls++;
            return false;
        }
    }

    private static boolean isEmpty(TestedQueue.Jobs jobs) {
        try {
            return jobs.allDone();
        } catch (QueueException e) {
            return false;
        }
    }
}
