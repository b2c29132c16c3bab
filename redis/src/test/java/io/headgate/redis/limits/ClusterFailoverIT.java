package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisCluster;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits and queues use the new master when a master of a real Cluster is replaced under traffic. */
@Timeout(120)
class ClusterFailoverIT {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int PERMITS = 1_000_000;
    private static final String KEY = "hg:sw:logins:limit:alice";

    /** A long timeout, so that a slow machine does not cause an unplanned failover. */
    private static final String[] LONG_NODE_TIMEOUT = {"--cluster-node-timeout", "20000"};

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicLong allowed = new AtomicLong();
    private final AtomicLong uncharged = new AtomicLong();
    private final AtomicLong inDoubt = new AtomicLong();

    @AfterEach
    void close() throws InterruptedException {
        stopped.set(true);
        threads.shutdown();
        assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void after_a_master_is_killed_its_replica_decides_and_charges_no_more_than_was_sent() throws Exception {
        Set<String> handled = ConcurrentHashMap.newKeySet();
        try (RedisCluster cluster = RedisCluster.start();
                RedisLimitEngine limits = limits(cluster);
                RedisQueueEngine queues = RedisQueueEngine.connect(
                        RedisSettings.of(cluster.url() + "?timeout=20s").withTimeout(Duration.ofSeconds(2)))) {
            Limiter limiter = limits.limiter("logins", Limit.slidingWindow(PERMITS, Duration.ofHours(1)));
            // The queue's worker may be subscribed to the master that dies, or send it commands.
            JobQueue<String> queue = queues.queue("orders", Codec.text());
            Future<?> traffic = threads.submit(() -> requestUntilStopped(limiter));
            awaitMore(allowed);
            RedisServer master = cluster.masterOf(KEY);
            try (Worker worker = Worker.of(queue).start(job -> handled.add(job.payload()))) {
                assertThat(worker).isNotNull();
                queue.enqueue("before");
                Await.until("the first job", LONG, () -> handled.contains("before"));

                master.kill();
                cluster.awaitOk(LONG);
                awaitMore(allowed);
                Await.until("a job to be enqueued", LONG, () -> EnqueueAttempt.succeeds(queue, "after"));
                Await.until("the second job", LONG, () -> handled.contains("after"));
            }
            stopped.set(true);
            traffic.get(60, TimeUnit.SECONDS);
            assertThat(uncharged.get()).isPositive();
            // Charges that the replica had not received are lost, but nothing is charged that was not requested.
            assertThat(used(limiter)).isLessThanOrEqualTo(allowed.get() + inDoubt.get());
        }
    }

    @Test
    void a_planned_failover_loses_no_reported_charge_and_repeats_none() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(LONG_NODE_TIMEOUT);
                RedisLimitEngine limits = limits(cluster)) {
            Limiter limiter = limits.limiter("logins", Limit.slidingWindow(PERMITS, Duration.ofHours(1)));
            Future<?> traffic = threads.submit(() -> requestUntilStopped(limiter));
            awaitMore(allowed);
            RedisServer before = cluster.masterOf(KEY);
            RedisServer after = cluster.failOver(cluster.slotOf(KEY));
            assertThat(after).isNotEqualTo(before);
            awaitMore(allowed);
            stopped.set(true);
            traffic.get(60, TimeUnit.SECONDS);
            assertThat(used(limiter)).isBetween(allowed.get(), allowed.get() + inDoubt.get());
            try (RedisProbe probe = RedisProbe.of(after.url())) {
                assertThat(probe.commandCalls().get("EVALSHA")).isPositive();
            }
        }
    }

    private static long used(Limiter limiter) {
        Decision last = limiter.peek("alice");
        return PERMITS - last.remaining();
    }

    private static RedisLimitEngine limits(RedisCluster cluster) {
        return Engines.builder(Engines.settings(cluster.url() + "?timeout=20s").withTimeout(Duration.ofSeconds(2)))
                .build();
    }

    private void requestUntilStopped(Limiter limiter) {
        while (!stopped.get()) {
            try {
                if (limiter.tryAcquire("alice").allowed()) {
                    allowed.incrementAndGet();
                }
            } catch (LimiterException e) {
                (e.mayBeCharged() ? inDoubt : uncharged).incrementAndGet();
                pause();
            }
        }
    }

    /** Without this pause a thread whose calls fail immediately would keep a processor busy. */
    private static void pause() {
        try {
            new CountDownLatch(1).await(1, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void awaitMore(AtomicLong counted) {
        long before = counted.get();
        Await.until("more decisions", LONG, () -> counted.get() > before + 50);
    }
}
