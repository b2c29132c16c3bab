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

/** An engine that begins while Redis can't be reached answers by its fallbacks, and takes Redis up when it is there. */
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

    /** That it answers by its share now, and by Redis when that is there, where what it admitted meanwhile is charged. */
    private static void stillWorks(RedisLimitEngine engine, String name, Runnable mending) {
        Limiter limiter = engine.limiter(policy(name));
        assertThat(engine.health()).isEqualTo(Health.DEGRADED);
        for (int i = 0; i < 4; i++) {
            Decision decision = limiter.tryAcquire("alice");
            assertThat(decision.allowed()).isTrue();
            assertThat(decision.basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
        }
        mending.run();
        Await.until("healthy", SOON, () -> engine.health() == Health.HEALTHY);
        try (RedisLimitEngine direct =
                Engines.builder(Engines.settings(REDIS.url()).withTimeout(SOON)).build()) {
            assertThat(direct.limiter(policy(name)).peek("alice").remaining()).isEqualTo(6);
        }
        Await.until("counted", SOON, () -> limiter.tryAcquire("bob").basis() == Decision.Basis.COUNTED);
    }

    @Test
    void one_that_is_refused_answers_by_its_share_and_says_so_once() {
        proxy.refuseConnections();
        try (RedisLimitEngine engine = builder(proxy.url()).build()) {
            assertThat(changes).hasSize(1);
            assertThat(changes.get(0))
                    .startsWith("HEALTHY DEGRADED: can't connect: ")
                    .contains("refused");
            stillWorks(engine, "refused", proxy::resume);
            assertThat(changes).last().asString().startsWith("PROBING HEALTHY");
        }
    }

    @Test
    void a_redis_that_is_started_after_it_is_taken_up() {
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
    void an_address_where_nothing_answers_is_no_reason_to_wait_for_long() {
        proxy.blackHole();
        try (RedisLimitEngine engine = builder(proxy.url()).build()) {
            stillWorks(engine, "black-hole", proxy::resume);
        }
    }

    @Test
    void a_server_that_says_nothing_is_given_up_and_tried_again() {
        proxy.holdReplies();
        try (RedisLimitEngine engine = builder(proxy.url() + "?timeout=300ms").build()) {
            stillWorks(engine, "silent", proxy::resume);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading the dataset in memory",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "ERR max number of clients reached"
            })
    void a_server_that_is_in_trouble_is_taken_up_when_that_is_over(String error) {
        proxy.answerWithError(error, "HELLO", "PING");
        try (RedisLimitEngine engine = builder(proxy.url()).build()) {
            assertThat(changes.get(0)).contains(error);
            stillWorks(engine, error.substring(0, 3), proxy::resume);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WRONGPASS invalid username-password pair or user is disabled.",
                "NOAUTH HELLO must be called with the client already authenticated",
                "DENIED Redis is running in protected mode"
            })
    void a_server_that_refuses_who_asks_is_an_error(String error) {
        proxy.answerWithError(error, "HELLO", "AUTH", "PING");
        assertThatThrownBy(() -> builder(proxy.url().replace("//", "//:wrong@")).build())
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining(error)
                .hasMessageNotContaining("wrong@");
        assertThat(changes).isEmpty();
    }

    @Test
    void of_as_many_as_are_expected_each_has_its_share() {
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
    void where_a_connection_is_required_it_is_an_error_that_there_is_none() {
        proxy.refuseConnections();
        assertThatThrownBy(() -> builder(RedisSettings.of(proxy.url()).withRequiredConnection(true))
                        .build())
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("can't connect");
        assertThatThrownBy(() -> builder(proxy.url()).fallback(Fallback.none()).build())
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("can't connect");
    }

    @Test
    void a_policy_without_a_fallback_fails() {
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
    void an_applications_own_client_is_tried_again_too() {
        proxy.refuseConnections();
        RedisClient own = RedisClient.create(proxy.url());
        try (RedisLimitEngine engine = RedisLimitEngine.builder(
                        RedisSettings.of(own).withTimeout(Duration.ofSeconds(2)))
                .fallback(Fallback.local().within(Duration.ofMillis(500)))
                .build()) {
            stillWorks(engine, "own", proxy::resume);
        } finally {
            own.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    @Test
    void instances_hot_keys_and_notices_begin_when_there_is_a_connection() {
        proxy.refuseConnections();
        try (RedisLimitEngine engine = builder(proxy.url())
                        .hotKeys(HotKeys.create())
                        .hotKeysEvery(Duration.ofMillis(100))
                        .build();
                RedisLimitEngine other = builder(REDIS.url()).build()) {
            Limiter limiter = engine.limiter(policy("beginning"));
            Limiter elsewhere = other.limiter(policy("beginning"));
            assertThat(engine.instances()).isEqualTo(1);
            assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
            assertThat(limiter.tryAcquire(PermitRequest.of("carol").withPermits(10))
                            .allowed())
                    .isTrue();
            CompletableFuture<Decision> waiting =
                    limiter.async().acquire("carol", Duration.ofHours(2)).toCompletableFuture();
            Await.until("it tries to listen", SOON, () -> threads("headgate-signals") == 1);
            proxy.resume();
            Await.until("healthy", SOON, () -> engine.health() == Health.HEALTHY);
            Await.until("both know of each other", SOON, () -> engine.instances() == 2 && other.instances() == 2);
            Await.until(
                    "hot keys",
                    SOON,
                    () -> !other.hotKeys().top().toCompletableFuture().join().isEmpty());
            // Or he would wait for an hour.
            assertThat(waiting).isNotDone();
            assertThat(elsewhere.peek("carol").remaining()).isZero();
            elsewhere.reset("carol");
            Await.until("the one who waits is woken", SOON, waiting::isDone);
            assertThat(waiting.join().allowed()).isTrue();
        }
    }

    @Test
    void one_that_is_closed_before_there_was_a_connection_tries_no_more() {
        Await.until("those of other tests are over", SOON, () -> threads("headgate-connect") == 0);
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
    void queues_may_begin_so_too_and_fail_until_then() {
        proxy.refuseConnections();
        assertThatThrownBy(() -> RedisQueueEngine.connect(proxy.url())).isInstanceOf(QueueException.class);
        try (RedisQueueEngine queues =
                RedisQueueEngine.connect(RedisSettings.of(proxy.url()).withRequiredConnection(false))) {
            JobQueue<String> queue = queues.queue("orders", Codec.text());
            assertThatThrownBy(() -> queue.enqueue("one"))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("not connected to Redis");
            proxy.resume();
            Await.until("a job is taken", SOON, () -> Tries.isTaken(queue, "two"));
        }
    }
}
