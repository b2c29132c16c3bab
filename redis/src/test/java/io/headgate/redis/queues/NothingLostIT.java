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
 * Processes that hold leased jobs are killed, connections are cut between a script and its reply, and Redis is killed and
 * started again on its append-only file: every enqueued job is done, no two workers hold a job at the same
 * time, and no job returns after its ack was confirmed. Where done jobs are kept, it does not even return when it is enqueued again.
 */
class NothingLostIT {

    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final int TAKERS = 3;
    private static final int KILLS = Integer.getInteger("headgate.test.kills", 12);
    private static final int KILLS_FOR_A_KILL_OF_REDIS = 6;
    private static final int JOBS_FOR_A_KILL = 60;

    private static final RedisServer REDIS =
            RedisServer.startOwn("--appendonly", "yes", "--appendfsync", "always", "--save", "");

    private final SplittableRandom random = new SplittableRandom();
    private final FaultProxy proxy = FaultProxy.before(REDIS.url());
    private final RedisQueueEngine engine = Engines.queues(proxy.url());
    private final List<Taker> takers = new ArrayList<>();
    private final JobHistory history = new JobHistory();
    private final Set<String> enqueued = new HashSet<>();
    private int given;
    private int troubles;

    /** A process, and what it has written so far. */
    private record Taker(ChildJvm jvm, List<String> lines) {

        /** Waits until the worker has claimed jobs; more jobs are there for one that claims late because its connection broke. */
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

        /** Kills it, and returns all that it has written. */
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

    /** sidekiq#4633: jobs are lost in a crash between the pop and the record. */
    @ParameterizedTest
    @EnumSource
    void whatever_is_killed_every_job_is_done_and_none_by_two_at_once(Kept kept) {
        Kept.Jobs jobs = kept.of(engine);
        try (engine;
                proxy) {
            for (int i = 0; i < TAKERS; i++) {
                takers.add(taker(kept));
            }
            for (int kill = 1; kill <= KILLS; kill++) {
                enqueueSome(jobs);
                if (kill % KILLS_FOR_A_KILL_OF_REDIS == 0) {
                    REDIS.kill();
                    REDIS.restart();
                    enqueueSome(jobs);
                } else if (kill % 2 == 0) {
                    proxy.cutNextReplyTo("EVALSHA");
                }
                // The one that has run longest.
                Taker victim = takers.remove(0);
                victim.awaitClaim(() -> enqueueSome(jobs));
                history.read(victim.kill());
                takers.add(taker(kept));
            }
            Await.until("every job is done", LONG, () -> isEmpty(jobs));
            if (kept.keepsDone()) {
                enqueued.stream().filter(Kept::hasKey).forEach(payload -> add(jobs, payload, Duration.ZERO));
                Await.until("those added again are passed over", LONG, () -> isEmpty(jobs));
            }
            takers.forEach(taker -> history.read(taker.kill()));
        } finally {
            takers.forEach(taker -> taker.jvm.close());
        }
        System.out.println(kept + ", " + KILLS + " kills: " + enqueued.size() + " jobs enqueued, " + history.claims()
                + " handed out, " + (troubles + history.troubles()) + " calls failed");
        assertThat(history.claims()).isGreaterThan(enqueued.size());
        history.requireDone(enqueued);
        history.requireNoOverlap();
    }

    private Taker taker(Kept kept) {
        ChildJvm jvm = ChildJvm.of(JobTaker.class)
                .shortLived()
                .jvmOptions("-Xmx64m")
                .start(proxy.url(), kept.name(), Long.toString(random.nextLong()));
        return new Taker(jvm, new ArrayList<>());
    }

    /** Through the proxy, too; what fails may be in the queue or not. */
    private void enqueueSome(Kept.Jobs jobs) {
        for (int i = 0; i < JOBS_FOR_A_KILL; i++) {
            String payload = "job" + given++;
            if (add(jobs, payload, Duration.ofMillis(random.nextInt(3) * 20L))) {
                enqueued.add(payload);
            }
        }
    }

    private boolean add(Kept.Jobs jobs, String payload, Duration delay) {
        try {
            jobs.add(payload, delay);
            return true;
        } catch (QueueException e) {
            troubles++;
            return false;
        }
    }

    private static boolean isEmpty(Kept.Jobs jobs) {
        try {
            return jobs.areDone();
        } catch (QueueException e) {
            return false;
        }
    }
}
