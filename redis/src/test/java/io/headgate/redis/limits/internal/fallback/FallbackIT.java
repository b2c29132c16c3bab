package io.headgate.redis.limits.internal.fallback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Fallback;
import io.headgate.limits.Health;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.OwnRedis;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The fallback decides while Redis does not reply, and its admissions are charged when Redis is back. */
class FallbackIT {

    private static final Duration SOON = Duration.ofSeconds(60);

    /** Enough for a reply on a busy machine. */
    private static final Duration BUDGET = Duration.ofMillis(250);

    private static final Limit TEN_AN_HOUR = Limit.slidingWindow(10, Duration.ofHours(1));

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private final List<Health> changes = new CopyOnWriteArrayList<>();
    private final List<RedisLimitEngine> engines = new ArrayList<>();

    private RedisLimitEngine engine(String url) {
        RedisLimitEngine engine = RedisLimitEngine.builder(RedisSettings.of(url).withTimeout(Duration.ofSeconds(2)))
                .fallback(Fallback.local().within(BUDGET))
                .listener(new LimitListener() {
                    @Override
                    public void onHealthChange(Health before, Health now, String reason) {
                        changes.add(now);
                    }
                })
                .build();
        engines.add(engine);
        return engine;
    }

    /** An engine that connects through the proxy. */
    private RedisLimitEngine engine() {
        return engine(redis.proxy.url());
    }

    /** A limiter that bypasses the proxy, with a timeout that is never reached. */
    private Limiter direct(Policy policy) {
        RedisLimitEngine engine = redis.limits().fallback(Fallback.none()).build();
        engines.add(engine);
        return engine.limiter(policy);
    }

    @AfterEach
    void close() {
        redis.proxy.resume();
        engines.forEach(RedisLimitEngine::close);
    }

    private static Policy policy(Limit limit) {
        return Policy.of("api", limit, "user");
    }

    private static Policy policy(Fallback fallback) {
        return Policy.named("api")
                .rule("per-user", TEN_AN_HOUR, "user")
                .fallback(fallback.budget().isPresent() ? fallback : fallback.within(BUDGET))
                .build();
    }

    /** Makes the first request, which loads scripts and classes and may take longer than a budget. */
    private static void warm(Limiter limiter) {
        Await.until("an answer in time", SOON, () -> limiter.tryAcquire("warm").basis() == Decision.Basis.COUNTED);
    }

    private static void awaitHealth(RedisLimitEngine engine, Health health) {
        Await.until("engine " + health, SOON, () -> engine.health() == health);
    }

    /** Makes requests for an unused id until the engine is degraded. */
    private static void degrade(RedisLimitEngine engine, Limiter limiter) {
        Await.until("degraded", SOON, () -> {
            limiter.tryAcquire("somebody");
            return engine.health() == Health.DEGRADED;
        });
    }

    private static int admitted(Limiter limiter, String user, int requests) {
        int admitted = 0;
        for (int i = 0; i < requests; i++) {
            admitted += limiter.tryAcquire(user).allowed() ? 1 : 0;
        }
        return admitted;
    }

    @Test
    void a_redis_without_replies_is_no_longer_called_and_the_local_share_decides() {
        RedisLimitEngine engine = engine();
        Limiter limiter = engine.limiter(policy(TEN_AN_HOUR));
        warm(limiter);
        assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Decision.Basis.COUNTED);
        redis.proxy.blackHole();
        degrade(engine, limiter);
        int inFlight = engine.callsInFlight();
        for (int i = 0; i < 10; i++) {
            Decision decision = limiter.tryAcquire("bob");
            assertThat(decision.allowed()).isTrue();
            assertThat(decision.basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
            assertThat(decision.remaining()).isEqualTo(9 - i);
            assertThat(decision.decisive().orElseThrow().rule().limit()).isEqualTo(TEN_AN_HOUR);
        }
        Decision denied = limiter.tryAcquire("bob");
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.deniedBy()).contains("limit");
        assertThat(denied.retryAfter()).isPresent();
        assertThat(limiter.peek("bob").remaining()).isZero();
        // Only probes are sent, which the black hole does not answer.
        assertThat(engine.callsInFlight()).isLessThanOrEqualTo(inFlight + 40);
        assertThat(engine.requestsInFlight()).isLessThan(20);
    }

    @Test
    void an_outage_without_further_calls_is_noticed_and_never_reported_as_healthy() {
        RedisLimitEngine engine = engine();
        Limiter limiter = engine.limiter(policy(TEN_AN_HOUR));
        warm(limiter);
        awaitHealth(engine, Health.HEALTHY);
        changes.clear();
        redis.proxy.blackHole();
        Await.until("slow", SOON, () -> {
            limiter.tryAcquire("alice");
            return engine.health() != Health.HEALTHY;
        });
        awaitHealth(engine, Health.DEGRADED);
        assertThat(changes).doesNotContain(Health.HEALTHY);
        redis.proxy.resume();
        awaitHealth(engine, Health.HEALTHY);
    }

    @Test
    void decisions_go_to_redis_again_when_it_answers_and_local_usage_is_charged() {
        RedisLimitEngine engine = engine();
        Policy policy = policy(TEN_AN_HOUR);
        Limiter limiter = engine.limiter(policy);
        warm(limiter);
        assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
        redis.proxy.blackHole();
        degrade(engine, limiter);
        assertThat(admitted(limiter, "bob", 7)).isEqualTo(7);
        redis.proxy.resume();
        awaitHealth(engine, Health.HEALTHY);
        Await.until("listeners are notified", SOON, () -> changes.contains(Health.HEALTHY));
        assertThat(List.copyOf(changes)).endsWith(Health.PROBING, Health.HEALTHY);
        assertThat(direct(policy).peek("bob").remaining()).isEqualTo(3);
        Decision decision = limiter.tryAcquire("bob");
        assertThat(decision.basis()).isEqualTo(Decision.Basis.COUNTED);
        assertThat(decision.remaining()).isEqualTo(2);
    }

    @Test
    void local_usage_above_the_limit_fills_the_limit_and_no_more() {
        RedisLimitEngine engine = engine();
        Policy policy = policy(TEN_AN_HOUR);
        Limiter limiter = engine.limiter(policy);
        warm(limiter);
        redis.proxy.blackHole();
        degrade(engine, limiter);
        assertThat(admitted(limiter, "bob", 9)).isEqualTo(9);
        Limiter directLimiter = direct(policy);
        assertThat(admitted(directLimiter, "bob", 6)).isEqualTo(6);
        redis.proxy.resume();
        awaitHealth(engine, Health.HEALTHY);
        assertThat(directLimiter.peek("bob").remaining()).isZero();
    }

    @Test
    void the_local_share_starts_from_the_last_counts_of_redis() {
        RedisLimitEngine engine = engine();
        Limiter limiter = engine.limiter(policy(TEN_AN_HOUR));
        warm(limiter);
        assertThat(admitted(limiter, "alice", 8)).isEqualTo(8);
        redis.proxy.blackHole();
        degrade(engine, limiter);
        assertThat(admitted(limiter, "alice", 10)).isEqualTo(2);
        assertThat(admitted(limiter, "bob", 20)).isEqualTo(10);
    }

    @Test
    void instances_divide_the_limit_among_themselves() {
        List<RedisLimitEngine> all = List.of(engine(), engine(), engine(), engine());
        List<Limiter> limiters =
                all.stream().map(engine -> engine.limiter(policy(TEN_AN_HOUR))).toList();
        all.forEach(engine -> Await.until("all to be counted", SOON, () -> engine.instances() == 4));
        redis.proxy.blackHole();
        int admitted = 0;
        for (int i = 0; i < all.size(); i++) {
            degrade(all.get(i), limiters.get(i));
            admitted += admitted(limiters.get(i), "alice", 10);
        }
        assertThat(admitted).isEqualTo(8);
    }

    @Test
    void a_closed_instance_is_no_longer_counted() {
        RedisLimitEngine one = engine();
        one.limiter(policy(TEN_AN_HOUR));
        RedisLimitEngine other = engine();
        other.limiter(policy(TEN_AN_HOUR));
        Await.until("both to be counted", SOON, () -> one.instances() == 2);
        other.close();
        Await.until("one is left", SOON, () -> one.instances() == 1);
    }

    @Test
    void each_rule_is_charged_its_own_local_usage() {
        Policy policy = Policy.named("api")
                .rule("all", Limit.tokenBucket(100, 1, Duration.ofHours(1)))
                .rule("per-user", TEN_AN_HOUR, "user")
                .build();
        RedisLimitEngine engine = engine();
        Limiter limiter = engine.limiter(policy);
        redis.proxy.blackHole();
        degrade(engine, limiter);
        long before = limiter.peek("alice").rules().get(0).remaining();
        assertThat(admitted(limiter, "alice", 4)).isEqualTo(4);
        assertThat(admitted(limiter, "bob", 5)).isEqualTo(5);
        assertThat(limiter.peek("alice").rules().get(0).remaining()).isEqualTo(before - 9);
        redis.proxy.resume();
        awaitHealth(engine, Health.HEALTHY);
        Limiter counted = direct(policy);
        assertThat(counted.peek("alice").rules().get(1).remaining()).isEqualTo(6);
        assertThat(counted.peek("bob").rules().get(1).remaining()).isEqualTo(5);
        assertThat(counted.peek("bob").rules().get(0).remaining()).isEqualTo(before - 9);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fallback.Mode.class,
            names = {"OPEN", "CLOSED"})
    void without_redis_an_open_policy_admits_and_a_closed_one_denies(Fallback.Mode mode) {
        RedisLimitEngine engine = engine();
        Limiter limiter = engine.limiter(policy(mode == Fallback.Mode.OPEN ? Fallback.open() : Fallback.closed()));
        warm(limiter);
        redis.proxy.blackHole();
        degrade(engine, limiter);
        Decision decision = limiter.tryAcquire("alice");
        assertThat(decision.allowed()).isEqualTo(mode == Fallback.Mode.OPEN);
        assertThat(decision.basis().name()).isEqualTo(mode.name());
        assertThat(admitted(limiter, "alice", 20)).isEqualTo(mode == Fallback.Mode.OPEN ? 20 : 0);
        assertThat(decision.retryAfter().isPresent()).isEqualTo(mode == Fallback.Mode.CLOSED);
        assertThat(decision.decisive()).isEmpty();
        assertThat(decision.rules()).isEmpty();
        assertThat(decision.deniedBy()).isEmpty();
        assertThat(limiter.refund(Attributes.of("user", "alice"), decision)).isZero();
    }

    @Test
    void without_a_fallback_callers_receive_the_failure() {
        RedisLimitEngine engine = engine();
        Limiter limiter = engine.limiter(policy(Fallback.none().within(Duration.ofMillis(50))));
        redis.proxy.blackHole();
        assertThatThrownBy(() -> limiter.tryAcquire("alice"))
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("no answer within 50 ms");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading the dataset in memory",
                "READONLY You can't write against a read only replica.",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
                "MISCONF Redis is configured to save RDB snapshots",
                "NOREPLICAS Not enough good replicas to write.",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "CLUSTERDOWN The cluster is down",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "NOPERM this user has no permissions to run the 'evalsha' command",
                "ERR max number of clients reached"
            })
    void after_an_error_by_which_redis_did_nothing_the_local_share_decides(String error) {
        RedisLimitEngine engine = engine();
        Policy policy = policy(TEN_AN_HOUR);
        Limiter limiter = engine.limiter(policy);
        warm(limiter);
        assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
        redis.proxy.answerWithError(error, "EVALSHA", "EVAL");
        degrade(engine, limiter);
        assertThat(admitted(limiter, "bob", 20)).isEqualTo(10);
        redis.proxy.resume();
        awaitHealth(engine, Health.HEALTHY);
        assertThat(direct(policy).peek("bob").remaining()).isZero();
    }

    @Test
    void for_a_slow_redis_the_local_share_decides_and_late_charges_are_not_repeated() {
        RedisLimitEngine engine = engine();
        Policy policy = policy(TEN_AN_HOUR);
        Limiter limiter = engine.limiter(policy);
        warm(limiter);
        assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
        redis.proxy.holdReplies();
        List<CompletableFuture<Decision>> late = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            late.add(limiter.async().tryAcquire("alice").toCompletableFuture());
        }
        late.forEach(one -> assertThat(one.join().basis()).isEqualTo(Decision.Basis.LOCAL_SHARE));
        redis.proxy.resume();
        Await.until("answered late", SOON, () -> engine.callsInFlight() == 0);
        // Some requests had not been sent; their permits are charged afterwards.
        Await.until("all usage to be charged", SOON, engine::isSynced);
        assertThat(direct(policy).peek("alice").remaining()).isEqualTo(5);
    }

    @Test
    void a_key_with_a_foreign_value_uses_the_fallback_and_other_keys_do_not() {
        RedisLimitEngine engine = engine();
        Policy policy = policy(TEN_AN_HOUR);
        Limiter limiter = engine.limiter(policy);
        warm(limiter);
        redis.probe.command("SET", "hg:sw:api:limit:foreign", "not ours", "PX", "600000");
        assertThat(limiter.tryAcquire("foreign").basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
        assertThat(engine.health()).isEqualTo(Health.HEALTHY);
        redis.proxy.blackHole();
        degrade(engine, limiter);
        assertThat(admitted(limiter, "foreign", 2)).isEqualTo(2);
        assertThat(admitted(limiter, "bob", 2)).isEqualTo(2);
        redis.proxy.resume();
        awaitHealth(engine, Health.HEALTHY);
        assertThat(direct(policy).peek("bob").remaining()).isEqualTo(8);
        redis.probe.command("DEL", "hg:sw:api:limit:foreign");
    }

    @Test
    void limiters_of_one_policy_share_their_local_usage() {
        RedisLimitEngine engine = engine();
        Policy policy = policy(TEN_AN_HOUR);
        Limiter one = engine.limiter(policy);
        Limiter other = engine.limiter(policy);
        redis.proxy.blackHole();
        degrade(engine, one);
        assertThat(admitted(one, "alice", 3)).isEqualTo(3);
        assertThat(admitted(other, "alice", 4)).isEqualTo(4);
        redis.proxy.resume();
        awaitHealth(engine, Health.HEALTHY);
        assertThat(direct(policy).peek("alice").remaining()).isEqualTo(3);
    }

    @Test
    void an_interrupted_caller_receives_a_local_decision_that_is_charged_once() {
        RedisLimitEngine engine = engine();
        Policy policy = policy(TEN_AN_HOUR);
        Limiter limiter = engine.limiter(policy);
        warm(limiter);
        Thread.currentThread().interrupt();
        Decision decision = limiter.tryAcquire("alice");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(decision.basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
        assertThat(decision.remaining()).isEqualTo(9);
        assertThat(engine.health()).isEqualTo(Health.HEALTHY);
        Await.until("the usage to be charged", SOON, engine::isSynced);
        assertThat(direct(policy).peek("alice").remaining()).isEqualTo(9);
    }

    @Test
    void occasional_late_replies_do_not_use_up_the_local_share() {
        RedisLimitEngine engine = engine();
        Limiter limiter = engine.limiter(policy(Limit.slidingWindow(100, Duration.ofHours(1))));
        warm(limiter);
        assertThat(admitted(limiter, "alice", 50)).isEqualTo(50);
        // If each late reply added the usage in Redis to the usage of the share again, the share would be full at the
        // second one.
        for (int i = 0; i < 4; i++) {
            redis.proxy.holdReplies();
            assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
            redis.proxy.releaseReplies();
            Await.until("answered late", SOON, () -> engine.callsInFlight() == 0);
            assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Decision.Basis.COUNTED);
        }
    }

    @Test
    void a_late_admission_of_redis_is_refunded() {
        RedisLimitEngine engine = engine();
        Policy policy = policy(Fallback.closed());
        Limiter limiter = engine.limiter(policy);
        warm(limiter);
        assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
        redis.proxy.holdReplies();
        assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Decision.Basis.CLOSED);
        redis.proxy.resume();
        Limiter counted = direct(policy);
        Await.until("refunded", SOON, () -> counted.peek("alice").remaining() == 9 && engine.callsInFlight() == 0);
    }

    @Test
    void a_late_admission_with_a_request_id_stays_charged_for_a_retry() {
        RedisLimitEngine engine = engine();
        Policy policy = policy(Fallback.closed());
        Limiter limiter = engine.limiter(policy);
        Attributes alice = Attributes.of("user", "alice");
        warm(limiter);
        redis.proxy.holdReplies();
        assertThat(limiter.tryAcquire(PermitRequest.of(alice).withId(RequestId.of("order-1")))
                        .basis())
                .isEqualTo(Decision.Basis.CLOSED);
        redis.proxy.resume();
        Await.until("the late answer", SOON, () -> engine.callsInFlight() == 0);
        Limiter counted = direct(policy);
        assertThat(counted.tryAcquire(PermitRequest.of(alice).withId(RequestId.of("order-1")))
                        .allowed())
                .isTrue();
        assertThat(counted.peek("alice").remaining()).isEqualTo(9);
    }

    @Test
    void a_refund_of_a_local_decision_reduces_the_local_usage() {
        RedisLimitEngine engine = engine();
        Policy policy = policy(TEN_AN_HOUR);
        Limiter limiter = engine.limiter(policy);
        warm(limiter);
        redis.proxy.blackHole();
        degrade(engine, limiter);
        Decision decision = limiter.tryAcquire(PermitRequest.of("alice").withPermits(3));
        assertThat(limiter.refund("alice", decision)).isEqualTo(3);
        assertThat(limiter.peek("alice").remaining()).isEqualTo(10);
        redis.proxy.resume();
        awaitHealth(engine, Health.HEALTHY);
        assertThat(direct(policy).peek("alice").remaining()).isEqualTo(10);
    }

    @Test
    void a_refund_of_a_local_decision_returns_0_once_redis_has_charged_it() {
        RedisLimitEngine engine = engine();
        Policy policy = policy(TEN_AN_HOUR);
        Limiter limiter = engine.limiter(policy);
        warm(limiter);
        redis.proxy.blackHole();
        degrade(engine, limiter);
        Decision decision = limiter.tryAcquire(PermitRequest.of("alice").withPermits(3));
        redis.proxy.resume();
        awaitHealth(engine, Health.HEALTHY);
        assertThat(direct(policy).peek("alice").remaining()).isEqualTo(7);
        assertThat(limiter.refund("alice", decision)).isZero();
        assertThat(direct(policy).peek("alice").remaining()).isEqualTo(7);
    }

    @Test
    void a_second_refund_of_a_local_decision_leaves_the_unsynced_usage_of_others() {
        RedisLimitEngine engine = engine();
        Policy policy = policy(TEN_AN_HOUR);
        Limiter limiter = engine.limiter(policy);
        warm(limiter);
        redis.proxy.blackHole();
        degrade(engine, limiter);
        Decision decision = limiter.tryAcquire(PermitRequest.of("alice").withPermits(3));
        limiter.tryAcquire(PermitRequest.of("alice").withPermits(4));
        assertThat(limiter.refund("alice", decision)).isEqualTo(3);
        assertThat(limiter.refund("alice", decision)).isZero();
        assertThat(limiter.peek("alice").remaining()).isEqualTo(6);
        redis.proxy.resume();
        awaitHealth(engine, Health.HEALTHY);
        assertThat(direct(policy).peek("alice").remaining()).isEqualTo(6);
    }

    @Test
    void when_connections_are_refused_or_cut_the_local_share_decides() {
        RedisLimitEngine engine = engine();
        Limiter limiter = engine.limiter(policy(TEN_AN_HOUR));
        warm(limiter);
        redis.proxy.refuseConnections();
        redis.proxy.cutAll();
        degrade(engine, limiter);
        assertThat(admitted(limiter, "bob", 20)).isEqualTo(10);
        redis.proxy.resume();
        awaitHealth(engine, Health.HEALTHY);
    }
}
