package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Health;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueException;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisSentinels;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits and queues that connect through Sentinels follow the primary under continuous traffic. */
@Timeout(180)
class SentinelIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int PERMITS = 1_000_000;

    private final RedisSentinels sentinels = RedisSentinels.start();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stopped = new AtomicBoolean();

    @AfterEach
    void close() throws InterruptedException {
        stopped.set(true);
        threads.shutdown();
        assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        sentinels.close();
    }

    @Test
    void after_the_primary_is_killed_limits_continue_from_the_counts_of_the_replica() throws Exception {
        try (RedisLimitEngine limits = limits()) {
            assertThat(limits.description()).isEqualTo(sentinels.url());
            Limiter limiter = limits.limiter("logins", Limit.slidingWindow(PERMITS, Duration.ofHours(1)));
            limiter.tryAcquire(PermitRequest.of("alice").withPermits(1_000));
            RedisServer first = sentinels.primary();
            awaitReplicas(first);
            AtomicLong allowed = new AtomicLong();
            Future<?> traffic = threads.submit(() -> requestUntilStopped(limiter, allowed));
            awaitMore(allowed);

            first.kill();
            RedisServer second = sentinels.awaitPromotion(first, LONG);
            awaitMore(allowed);

            Decision last = limiter.tryAcquire("alice");
            assertThat(PERMITS - last.remaining()).isGreaterThan(1_000);
            assertThat(commandsOf(second)).contains("EVALSHA");
            stopped.set(true);
            traffic.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void limits_and_a_worker_follow_a_failover_from_a_live_primary() throws Exception {
        Set<String> handled = ConcurrentHashMap.newKeySet();
        try (RedisLimitEngine limits = limits();
                RedisQueueEngine queues = RedisQueueEngine.connect(
                        RedisSettings.of(sentinels.url()).withTimeout(Duration.ofSeconds(2)))) {
            Limiter limiter = limits.limiter("logins", Limit.slidingWindow(PERMITS, Duration.ofHours(1)));
            JobQueue<String> queue = queues.queue("orders", Codec.text());
            AtomicLong allowed = new AtomicLong();
            try (Worker worker = Worker.of(queue).start(job -> handled.add(job.payload()))) {
                assertThat(worker).isNotNull();
                queue.enqueue("before");
                Await.until("the first job", LONG, () -> handled.contains("before"));
                Future<?> traffic = threads.submit(() -> requestUntilStopped(limiter, allowed));
                awaitMore(allowed);

                RedisServer first = sentinels.primary();
                RedisServer second = sentinels.failOver();
                assertThat(second).isNotSameAs(first);
                // The first server still accepts requests for some seconds.
                Await.until(
                        "requests at the second", LONG, () -> commandsOf(second).contains("EVALSHA"));
                sentinels.awaitWhole(LONG);
                awaitMore(allowed);
                Await.until("a job to be enqueued", LONG, () -> isEnqueued(queue, "after"));
                Await.until("the second job", LONG, () -> handled.contains("after"));
                stopped.set(true);
                traffic.get(60, TimeUnit.SECONDS);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void with_a_fallback_a_failover_fails_no_request_and_admissions_are_bounded(boolean killed) throws Exception {
        List<RedisLimitEngine> engines = List.of(limitsWithFallback(), limitsWithFallback());
        try (RedisLimitEngine one = engines.get(0);
                RedisLimitEngine other = engines.get(1)) {
            Policy policy = Policy.of("logins", Limit.slidingWindow(5_000, Duration.ofHours(1)), "user");
            List<Limiter> limiters = List.of(one.limiter(policy), other.limiter(policy));
            Await.until("both instances to be counted", LONG, () -> one.instances() == 2 && other.instances() == 2);
            AtomicLong allowed = new AtomicLong();
            List<Future<?>> traffic = limiters.stream()
                    .<Future<?>>map(limiter -> threads.submit(() -> acquireWithPauses(limiter, allowed)))
                    .toList();
            awaitMore(allowed);
            RedisServer first = sentinels.primary();
            RedisServer second;
            if (killed) {
                first.kill();
                second = sentinels.awaitPromotion(first, LONG);
            } else {
                second = sentinels.failOver();
            }
            Await.until("requests at the second", LONG, () -> commandsOf(second).contains("EVALSHA"));
            for (RedisLimitEngine engine : engines) {
                Await.until("healthy", LONG, () -> engine.health() == Health.HEALTHY);
            }
            stopped.set(true);
            for (Future<?> each : traffic) {
                each.get(60, TimeUnit.SECONDS);
            }
            for (RedisLimitEngine engine : engines) {
                Await.until("all to be charged", LONG, engine::isSynced);
            }
            for (Limiter limiter : limiters) {
                while (limiter.tryAcquire("alice").allowed()) {
                    allowed.incrementAndGet();
                }
            }
            // A killed primary loses the charges that no replica had received. A live one admits requests until its
            // clients reconnect, and these charges are lost.
            assertThat(allowed.get()).isLessThanOrEqualTo(killed ? 6_000 : 10_000);
        }
    }

    private RedisLimitEngine limitsWithFallback() {
        return RedisLimitEngine.builder(RedisSettings.of(sentinels.url()).withTimeout(Duration.ofSeconds(2)))
                .fallback(Fallback.local().within(Duration.ofMillis(250)))
                .build();
    }

    /** Any exception ends this task and fails its future. */
    private void acquireWithPauses(Limiter limiter, AtomicLong allowed) {
        while (!stopped.get()) {
            Decision decision = limiter.tryAcquire("alice");
            if (decision.allowed()) {
                allowed.incrementAndGet();
            }
            // In the outage there is no pause, so that a local share is used up.
            if (decision.denied() || decision.basis() == Decision.Basis.COUNTED) {
                pause();
            }
        }
    }

    @Test
    void requests_move_from_a_replaced_primary_that_still_answers_to_the_new_one() {
        try (RedisLimitEngine limits = limits();
                RedisProbe first = RedisProbe.of(sentinels.primary().url())) {
            Limiter limiter = limits.limiter("logins", Limit.slidingWindow(PERMITS, Duration.ofHours(1)));
            assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
            // So that the Sentinels can neither disconnect its clients nor make it a replica.
            first.command("ACL", "SETUSER", "default", "-client");
            RedisServer second = sentinels.failOver();
            Await.until("requests at the second", LONG, () -> {
                acquire(limiter, new AtomicLong());
                return commandsOf(second).contains("EVALSHA");
            });
            assertThat(first.info("replication")).containsEntry("role", "master");
            first.command("ACL", "SETUSER", "default", "+client");
        }
    }

    @Test
    void a_dead_sentinel_is_skipped_and_an_unknown_name_is_reported() {
        sentinels.sentinels().get(0).kill();
        try (RedisLimitEngine limits = limits()) {
            assertThat(limits.limiter("logins", Limit.slidingWindow(5, Duration.ofMinutes(1)))
                            .tryAcquire("alice")
                            .allowed())
                    .isTrue();
        }
        assertThatThrownBy(() -> RedisLimitEngine.connect(sentinels.url().replace("#headgate", "#other")))
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("other");
    }

    @Test
    void an_engine_that_starts_without_sentinels_uses_redis_when_one_is_reachable() {
        sentinels.sentinels().forEach(RedisServer::kill);
        try (RedisLimitEngine limits = RedisLimitEngine.connect(sentinels.url())) {
            Limiter limiter = limits.limiter("logins", Limit.slidingWindow(5, Duration.ofMinutes(1)));
            assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
            sentinels.sentinels().get(1).restart();
            Await.until("healthy", LONG, () -> limits.health() == Health.HEALTHY);
            Await.until("charged", LONG, () -> limiter.peek("alice").remaining() == 4);
        }
    }

    private RedisLimitEngine limits() {
        return Engines.builder(Engines.settings(sentinels.url()).withTimeout(Duration.ofSeconds(2)))
                .build();
    }

    private void requestUntilStopped(Limiter limiter, AtomicLong allowed) {
        while (!stopped.get()) {
            acquire(limiter, allowed);
        }
    }

    private static void acquire(Limiter limiter, AtomicLong allowed) {
        try {
            if (limiter.tryAcquire("alice").allowed()) {
                allowed.incrementAndGet();
            }
        } catch (LimiterException e) {
            // No primary is available at the moment.
            pause();
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

    private static boolean isEnqueued(JobQueue<String> queue, String payload) {
        try {
            queue.enqueue(payload);
            return true;
        } catch (QueueException e) {
            return false;
        }
    }

    private static void awaitMore(AtomicLong allowed) {
        long before = allowed.get();
        Await.until("more decisions", LONG, () -> allowed.get() > before + 10);
    }

    private static void awaitReplicas(RedisServer primary) {
        try (RedisProbe probe = RedisProbe.of(primary.url())) {
            Await.until("the replicas to be in sync", LONG, () -> {
                String offset = String.valueOf(probe.info("replication").get("master_repl_offset"));
                return probe.info("replication").getOrDefault("slave0", "").contains("offset=" + offset + ",");
            });
        }
    }

    private static String commandsOf(RedisServer server) {
        try (RedisProbe probe = RedisProbe.of(server.url())) {
            return probe.commandCalls().toString();
        }
    }
}
