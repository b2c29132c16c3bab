package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Health;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.hotkeys.HotKeys;
import io.headgate.queues.Codec;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueException;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An engine that starts while Redis is unreachable decides by its fallbacks, and uses Redis when it is reachable. */
class StartWithoutRedisIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final Duration SOON = Duration.ofSeconds(60);

    private final FaultProxy proxy = FaultProxy.before(REDIS.url());
    private final List<String> changes = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        proxy.close();
    }

    @AfterAll
    static void end() {
        REDIS.close();
    }

    private RedisLimitEngine.Builder builder(String url) {
        return builder(RedisSettings.of(url));
    }

    private RedisLimitEngine.Builder builder(RedisSettings settings) {
        return RedisLimitEngine.builder(settings.withTimeout(Duration.ofSeconds(2)))
                .leastSilence(Duration.ofMillis(300))
                .fallback(Fallback.local().within(Duration.ofMillis(500)))
                .listener(new LimitListener() {
                    @Override
                    public void onHealthChange(Health before, Health now, String reason) {
                        changes.add(before + " " + now + ": " + reason);
                    }
                });
    }

    private static Policy policy(String name) {
        return Policy.of(name, Limit.slidingWindow(10, Duration.ofHours(1)), "user");
    }

    /**
     * Asserts that the engine decides by its local share. After the repair it decides by Redis, and the permits that it admitted before are
     * charged there.
     */
    private static void assertLocalUntil(RedisLimitEngine engine, String name, Runnable repair) {
        Limiter limiter = engine.limiter(policy(name));
        assertThat(engine.health()).isEqualTo(Health.DEGRADED);
        for (int i = 0; i < 4; i++) {
            Decision decision = limiter.tryAcquire("alice");
            assertThat(decision.allowed()).isTrue();
            assertThat(decision.basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
        }
        repair.run();
        Await.until("healthy", SOON, () -> engine.health() == Health.HEALTHY);
        try (RedisLimitEngine direct =
                Engines.builder(Engines.settings(REDIS.url()).withTimeout(SOON)).build()) {
            assertThat(direct.limiter(policy(name)).peek("alice").remaining()).isEqualTo(6);
        }
        Await.until("counted", SOON, () -> limiter.tryAcquire("bob").basis() == Decision.Basis.COUNTED);
    }

    @Test
    void a_refused_connection_is_reported_once_and_the_local_share_decides() {
        proxy.refuseConnections();
        try (RedisLimitEngine engine = builder(proxy.url()).build()) {
            assertThat(changes).hasSize(1);
            assertThat(changes.get(0))
                    .startsWith("HEALTHY DEGRADED: can't connect: ")
                    .contains("refused");
            assertLocalUntil(engine, "refused", proxy::resume);
            assertThat(changes)
                    .as("reports of the refused connection")
                    .filteredOn(change -> change.contains("can't connect"))
                    .hasSize(1);
            assertThat(changes).last().asString().startsWith("PROBING HEALTHY");
        }
    }

    @Test
    void a_redis_that_starts_after_the_engine_is_used() {
        RedisServer late = RedisServer.startOwn();
        late.kill();
        try (late;
                RedisLimitEngine engine = builder(late.url()).build()) {
            Limiter limiter = engine.limiter(policy("late"));
            assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
            late.restart();
            Await.until("healthy", SOON, () -> engine.health() == Health.HEALTHY);
            Await.until("charged", SOON, () -> limiter.peek("alice").remaining() == 9);
        }
    }

    @Test
    void an_engine_starts_although_its_address_does_not_answer() {
        proxy.blackHole();
        try (RedisLimitEngine engine = builder(proxy.url()).build()) {
            assertLocalUntil(engine, "black-hole", proxy::resume);
        }
    }

    @Test
    void a_server_that_sends_no_reply_is_retried() {
        proxy.holdReplies();
        // The timeout of a URL is the longest time to connect.
        try (RedisLimitEngine engine = builder(proxy.url() + "?timeout=300ms").build()) {
            assertLocalUntil(engine, "silent", proxy::resume);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading the dataset in memory",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "ERR max number of clients reached"
            })
    void a_server_with_a_temporary_error_is_used_when_the_error_ends(String error) {
        proxy.answerWithError(error, "HELLO", "PING");
        try (RedisLimitEngine engine = builder(proxy.url()).build()) {
            assertThat(changes.get(0)).contains(error);
            assertLocalUntil(engine, error.substring(0, 3), proxy::resume);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WRONGPASS invalid username-password pair or user is disabled.",
                "NOAUTH HELLO must be called with the client already authenticated",
                "DENIED Redis is running in protected mode"
            })
    void a_server_that_rejects_the_client_fails_the_start(String error) {
        proxy.answerWithError(error, "HELLO", "AUTH", "PING");
        assertThatThrownBy(() -> builder(proxy.url().replace("//", "//:wrong@")).build())
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining(error)
                .hasMessageNotContaining("wrong@");
        assertThat(changes).isEmpty();
    }

    @Test
    void the_local_share_is_the_limit_divided_by_the_expected_instances() {
        proxy.refuseConnections();
        try (RedisLimitEngine engine = builder(proxy.url()).expectedInstances(4).build()) {
            assertThat(engine.instances()).isEqualTo(4);
            Limiter limiter = engine.limiter(policy("expected"));
            assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
            assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
            assertThat(limiter.tryAcquire("alice").allowed()).isFalse();
        }
        assertThatThrownBy(() -> RedisLimitEngine.builder(proxy.url()).expectedInstances(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expectedInstances must be");
    }

    @Test
    void the_start_fails_if_a_required_connection_cannot_be_made() {
        proxy.refuseConnections();
        assertThatThrownBy(() -> builder(RedisSettings.of(proxy.url()).withRequiredConnection(true))
                        .build())
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("can't connect");
        // Without a fallback, a connection is required by default.
        assertThatThrownBy(() -> builder(proxy.url()).fallback(Fallback.none()).build())
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("can't connect");
    }

    @Test
    void without_a_fallback_requests_fail_until_redis_is_reachable() {
        proxy.refuseConnections();
        try (RedisLimitEngine engine = builder(RedisSettings.of(proxy.url()).withRequiredConnection(false))
                .fallback(Fallback.none())
                .build()) {
            Limiter limiter = engine.limiter(policy("no-fallback"));
            assertThatThrownBy(() -> limiter.tryAcquire("alice"))
                    .isInstanceOfSatisfying(LimiterException.class, failure -> assertThat(failure.mayBeCharged())
                            .isFalse())
                    .hasMessageContaining("not connected to Redis");
            proxy.resume();
            Await.until("healthy", SOON, () -> engine.health() == Health.HEALTHY);
            assertThat(limiter.tryAcquire("alice").remaining()).isEqualTo(9);
        }
    }

    @Test
    void the_client_of_an_application_is_retried_too() {
        proxy.refuseConnections();
        RedisClient own = RedisClient.create(proxy.url());
        try (RedisLimitEngine engine = RedisLimitEngine.builder(
                        RedisSettings.of(own).withTimeout(Duration.ofSeconds(2)))
                .fallback(Fallback.local().within(Duration.ofMillis(500)))
                .build()) {
            assertLocalUntil(engine, "own", proxy::resume);
        } finally {
            own.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    @Test
    void instances_hot_keys_and_invalidations_start_with_the_first_connection() {
        proxy.refuseConnections();
        try (RedisLimitEngine engine = builder(proxy.url())
                        .hotKeys(HotKeys.create())
                        .hotKeysInterval(Duration.ofMillis(100))
                        .build();
                RedisLimitEngine other = builder(REDIS.url()).build()) {
            Limiter limiter = engine.limiter(policy("beginning"));
            Limiter otherLimiter = other.limiter(policy("beginning"));
            assertThat(engine.instances()).isEqualTo(1);
            assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
            assertThat(limiter.tryAcquire(PermitRequest.of("carol").withPermits(10))
                            .allowed())
                    .isTrue();
            CompletableFuture<Decision> waiting =
                    limiter.async().acquire("carol", Duration.ofHours(2)).toCompletableFuture();
            Await.until("an attempt to subscribe", SOON, () -> threads("headgate-signals") == 1);
            proxy.resume();
            Await.until("healthy", SOON, () -> engine.health() == Health.HEALTHY);
            Await.until("both instances to be counted", SOON, () -> engine.instances() == 2 && other.instances() == 2);
            Await.until(
                    "hot keys",
                    SOON,
                    () -> !other.hotKeys().top().toCompletableFuture().join().isEmpty());
            // Without an invalidation the wait would last an hour.
            assertThat(waiting).isNotDone();
            assertThat(otherLimiter.peek("carol").remaining()).isZero();
            otherLimiter.reset("carol");
            Await.until("the waiting request to be woken", SOON, waiting::isDone);
            assertThat(waiting.join().allowed()).isTrue();
        }
    }

    @Test
    void an_engine_that_is_closed_before_its_first_connection_stops_connecting() {
        Await.until("threads of other tests to end", SOON, () -> threads("headgate-connect") == 0);
        proxy.refuseConnections();
        RedisLimitEngine engine = builder(proxy.url()).build();
        assertThat(threads("headgate-connect")).isEqualTo(1);
        engine.close();
        Await.until("no thread is left", SOON, () -> threads("headgate-connect") == 0);
        proxy.resume();
        assertThat(proxy.connectionsSeen()).isZero();
    }

    private static long threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .count();
    }

    @Test
    void queues_may_start_without_redis_and_fail_until_it_is_reachable() {
        proxy.refuseConnections();
        assertThatThrownBy(() -> RedisQueueEngine.connect(proxy.url())).isInstanceOf(QueueException.class);
        try (RedisQueueEngine queues =
                RedisQueueEngine.connect(RedisSettings.of(proxy.url()).withRequiredConnection(false))) {
            JobQueue<String> queue = queues.queue("orders", Codec.text());
            assertThatThrownBy(() -> queue.enqueue("one"))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("not connected to Redis");
            proxy.resume();
            Await.until("a job to be enqueued", SOON, () -> EnqueueAttempt.succeeds(queue, "two"));
        }
    }
}
