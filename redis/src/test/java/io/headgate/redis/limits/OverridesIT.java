package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.Fallback;
import io.headgate.limits.Health;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.Rule.LimitOverride;
import io.headgate.limits.RuleDecision;
import io.headgate.redis.RedisSettings;
import io.headgate.testkit.Await;
import io.headgate.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The Redis engine applies overrides on every path of a decision: calls, batches, cached denials, leases, waits and the fallback. */
@Timeout(120)
class OverridesIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Policy PLAIN = Policy.named("api")
            .rule("per-user", Limit.slidingWindow(10, HOUR), Attributes.USER)
            .build();
    private static final Policy API = PLAIN.withOverrides(List.of(
            override(Map.of("user", "alice"), Limit.slidingWindow(50, HOUR)),
            override(Map.of("plan", "gold"), Limit.slidingWindow(100, HOUR))));

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private final ManualClock clock = ManualClock.at(Instant.parse("2025-01-01T00:00:00Z"));
    private final List<RedisLimitEngine> engines = new ArrayList<>();
    private final List<Policy> receivedPolicies = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        redis.proxy.resume();
        engines.forEach(RedisLimitEngine::close);
    }

    private static LimitOverride override(Map<String, String> when, Limit limit) {
        return new LimitOverride("per-user", when, limit);
    }

    private RedisLimitEngine engine(RedisLimitEngine.Builder builder) {
        RedisLimitEngine engine = builder.listener(new LimitListener() {
                    @Override
                    public void onDecision(
                            Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                        receivedPolicies.add(policy);
                    }
                })
                .build();
        engines.add(engine);
        return engine;
    }

    /** An engine that connects through the proxy and uses Redis's clock. */
    private RedisLimitEngine engine() {
        return engine(Engines.builder(redis.proxy.url()));
    }

    /** An engine with a stopped clock, so that a cached denial is not checked in Redis. */
    private RedisLimitEngine withStoppedClock() {
        return engine(Engines.builder(redis.url()).time(clock));
    }

    private static PermitRequest gold(String user) {
        return PermitRequest.of(Attributes.of("user", user).with("plan", "gold"));
    }

    private long calls() {
        return redis.proxy.commandsSeen("EVALSHA");
    }

    @Test
    void a_decision_reports_the_limit_that_applied_and_listeners_receive_the_whole_policy() {
        Limiter limiter = engine().limiter(API);
        assertThat(limiter.tryAcquire(gold("bob").withPermits(60)).remaining()).isEqualTo(40);
        assertThat(limiter.tryAcquire("alice").limit()).isEqualTo(50);
        Decision decision = limiter.tryAcquire("carol");
        assertThat(decision.limit()).isEqualTo(10);
        assertThat(decision.rules().get(0).rule()).isEqualTo(PLAIN.rule("per-user"));
        assertThat(limiter.policy()).isEqualTo(API);
        assertThat(receivedPolicies).containsExactly(API, API, API);
    }

    @Test
    void each_request_is_one_command_and_overrides_make_it_no_longer() {
        Limiter plain = engine().limiter(PLAIN);
        Limiter limiter = engine().limiter(API);
        List.of(plain, limiter).forEach(one -> one.tryAcquire("warm"));
        limiter.peek(gold("warm"));
        long bytes = bytesOf(() -> plain.tryAcquire("user-1"));
        assertThat(bytesOf(() -> limiter.tryAcquire("user-2"))).isEqualTo(bytes);
        // A limit is a number of fixed length.
        assertThat(bytesOf(() -> limiter.tryAcquire(gold("user-3")))).isEqualTo(bytes);
        long before = commands();
        for (int i = 0; i < 20; i++) {
            limiter.tryAcquire(gold("bob"));
            limiter.tryAcquire("alice");
            limiter.peek(gold("bob"));
        }
        assertThat(commands() - before).isEqualTo(60);
    }

    @Test
    void with_100_000_overrides_each_request_is_one_command_of_the_same_length() {
        int users = 100_000;
        Limiter plain = engine().limiter(PLAIN);
        Limiter limiter = engine().limiter(PLAIN.withOverrides(IntStream.range(0, users)
                .mapToObj(i -> override(Map.of("user", "user-" + i), Limit.slidingWindow(11 + i % 1000, HOUR)))
                .toList()));
        List.of(plain, limiter).forEach(one -> one.tryAcquire("warm"));
        long bytes = bytesOf(() -> plain.tryAcquire("user-12345"));
        assertThat(bytesOf(() -> limiter.tryAcquire("user-12346"))).isEqualTo(bytes);
        long before = commands();
        int requests = 0;
        for (int i = 0; i < users; i += 1009) {
            Decision decision = limiter.tryAcquire("user-" + i);
            assertThat(decision.limit()).isEqualTo(11 + i % 1000);
            assertThat(decision.basis()).isEqualTo(Decision.Basis.COUNTED);
            requests++;
        }
        assertThat(limiter.tryAcquire("user-" + users).limit()).isEqualTo(10);
        assertThat(commands() - before).isEqualTo(requests + 1);
    }

    private long bytesOf(Runnable request) {
        long before = redis.proxy.requestBytesSeen();
        request.run();
        return redis.proxy.requestBytesSeen() - before;
    }

    private long commands() {
        return redis.proxy.commandsSeen().values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    @Test
    void concurrent_requests_with_the_same_limit_are_batched() {
        Limiter limiter = engine().limiter(API);
        List<PermitRequest> users = List.of(PermitRequest.of("bob"), gold("carol"));
        users.forEach(limiter::tryAcquire);
        // Loads the script of batches.
        Stream.generate(() -> limiter.async().tryAcquire("warm"))
                .limit(20)
                .toList()
                .forEach(one -> one.toCompletableFuture().join());
        redis.proxy.holdReplies();
        long before = calls();
        List<CompletableFuture<Decision>> decisions = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            users.forEach(user -> decisions.add(limiter.async().tryAcquire(user).toCompletableFuture()));
        }
        redis.proxy.resume();
        List<Decision> all = decisions.stream().map(CompletableFuture::join).toList();
        // For each limit at most two requests immediately, and then a batch of all others.
        assertThat(calls() - before).isBetween(2L, 6L);
        assertThat(allowed(all, 10)).isEqualTo(9);
        assertThat(allowed(all, 100)).isEqualTo(99);
    }

    private static long allowed(List<Decision> decisions, long limit) {
        return decisions.stream()
                .filter(one -> one.limit() == limit && one.allowed())
                .count();
    }

    @Test
    void a_denial_is_cached_for_requests_with_the_same_limit_only() {
        Limiter limiter = withStoppedClock().limiter(API);
        assertThat(limiter.tryAcquire(PermitRequest.of("bob").withPermits(10)).allowed())
                .isTrue();
        assertThat(limiter.tryAcquire("bob").basis()).isEqualTo(Basis.COUNTED);
        assertThat(limiter.tryAcquire("bob").basis()).isEqualTo(Basis.CACHED_DENIAL);
        Decision allowed = limiter.tryAcquire(gold("bob").withPermits(90));
        assertThat(allowed.allowed()).isTrue();
        assertThat(limiter.tryAcquire(gold("bob")).basis()).isEqualTo(Basis.COUNTED);
        Decision cached = limiter.tryAcquire(gold("bob"));
        assertThat(cached.basis()).isEqualTo(Basis.CACHED_DENIAL);
        assertThat(cached.limit()).isEqualTo(100);
        assertThat(limiter.refund("bob", allowed)).isEqualTo(90);
        assertThat(limiter.tryAcquire(gold("bob")).allowed()).isTrue();
    }

    @Test
    void an_update_of_an_override_drops_cached_denials_in_all_instances() {
        Limiter limiter = withStoppedClock().limiter(API);
        Limiter otherInstance = withStoppedClock().limiter(API);
        limiter.tryAcquire(PermitRequest.of("alice").withPermits(50));
        for (Limiter one : List.of(limiter, otherInstance)) {
            assertThat(one.tryAcquire("alice").basis()).isEqualTo(Basis.COUNTED);
            assertThat(one.tryAcquire("alice").basis()).isEqualTo(Basis.CACHED_DENIAL);
        }
        Await.until("both receive invalidations", LONG, () -> String.valueOf(
                        redis.probe.command("PUBSUB", "NUMSUB", "hg:notices"))
                .contains("2"));
        Policy raised = API.withOverrides(List.of(override(Map.of("user", "alice"), Limit.slidingWindow(60, HOUR))));
        limiter.update(raised);
        assertThat(limiter.tryAcquire("alice").remaining()).isEqualTo(9);
        Await.until(
                "a decision by Redis",
                LONG,
                () -> otherInstance.tryAcquire("alice").basis() == Basis.COUNTED);
        otherInstance.update(raised);
        assertThat(otherInstance.tryAcquire("alice").remaining()).isEqualTo(8);
    }

    @Test
    void an_update_of_an_override_wakes_requests_that_wait() {
        Limiter limiter = engine().limiter(API);
        limiter.tryAcquire(PermitRequest.of("alice").withPermits(50));
        CompletableFuture<Decision> waiting =
                limiter.async().acquire(PermitRequest.of("alice"), HOUR).toCompletableFuture();
        limiter.update(API.withOverrides(List.of(override(Map.of("user", "alice"), Limit.slidingWindow(51, HOUR)))));
        assertThat(waiting.join().remaining()).isZero();
    }

    @Test
    void a_refund_without_the_overriding_attribute_uses_the_limit_that_decided() {
        Policy buckets = Policy.named("buckets")
                .rule("per-user", Limit.tokenBucket(10, 1, HOUR), Attributes.USER)
                .override("per-user", Attributes.of("plan", "gold"), Limit.tokenBucket(100, 100, HOUR))
                .build();
        Limiter limiter = withStoppedClock().limiter(buckets);
        Decision decision = limiter.tryAcquire(gold("bob").withPermits(100));
        clock.advance(Duration.ofMinutes(30));
        assertThat(limiter.refund("bob", decision)).isEqualTo(50);
        assertThat(limiter.refund("bob", decision)).isZero();
        assertThat(limiter.peek(gold("bob")).remaining()).isEqualTo(100);
    }

    @Test
    void a_request_id_is_decided_once_by_the_limit_of_its_request() {
        Limiter limiter = engine().limiter(API);
        PermitRequest once = gold("bob").withPermits(20).withId(RequestId.of("order-1"));
        Decision first = limiter.tryAcquire(once);
        assertThat(first.remaining()).isEqualTo(80);
        assertThat(engine().limiter(API).tryAcquire(once)).isEqualTo(first);
        assertThatThrownBy(() -> limiter.tryAcquire(
                        PermitRequest.of("bob").withPermits(20).withId(RequestId.of("order-1"))))
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("another version of the policy");
    }

    @Test
    void permits_are_leased_by_the_limit_of_a_request() {
        RedisLimitEngine engine = withStoppedClock();
        Policy leased = Policy.named("leased")
                .rule("per-user", Limit.slidingWindow(20, HOUR), Attributes.USER)
                .override("per-user", Attributes.of("plan", "gold"), Limit.slidingWindow(1000, HOUR))
                .override("per-user", Attributes.of("user", "carol"), Limit.slidingWindow(5, HOUR))
                .leased(Duration.ofSeconds(5))
                .build();
        Limiter limiter = engine.limiter(leased);
        long spent = 0;
        Decision last;
        do {
            last = limiter.tryAcquire(gold("bob"));
            spent++;
            Await.until("all replies", LONG, () -> engine.callsInFlight() == 0);
        } while (last.basis() != Basis.LEASED);
        assertThat(last.limit()).isEqualTo(1000);
        assertThat(engine.load().leasedIds()).isEqualTo(1);

        limiter.update(leased.withOverrides(leased.overrides().stream()
                .filter(one -> one.when().containsKey("plan"))
                .toList()));
        assertThat(engine.load().leasedIds())
                .as("after the update of another override")
                .isEqualTo(1);

        limiter.update(leased.withOverrides(List.of()));
        Await.until(
                "unspent permits to be refunded",
                LONG,
                () -> engine.load().leasedIds() == 0 && engine.callsInFlight() == 0);
        assertThat(withStoppedClock().limiter(leased).peek(gold("bob")).remaining())
                .isEqualTo(1000 - spent);
    }

    @Test
    void a_reset_drops_permits_leased_under_an_override() {
        RedisLimitEngine engine = withStoppedClock();
        Limiter limiter = engine.limiter(Policy.named("leased")
                .rule("per-user", Limit.slidingWindow(20, HOUR), Attributes.USER)
                .override("per-user", Attributes.of("plan", "gold"), Limit.slidingWindow(1000, HOUR))
                .leased(Duration.ofSeconds(5))
                .build());
        Decision last;
        do {
            last = limiter.tryAcquire(gold("bob"));
            Await.until("all replies", LONG, () -> engine.callsInFlight() == 0);
        } while (last.basis() != Basis.LEASED);
        limiter.reset("bob");
        assertThat(engine.load().leasedIds()).isZero();
        assertThat(limiter.tryAcquire(gold("bob")).remaining()).isEqualTo(999);
    }

    @Test
    void without_redis_the_share_of_the_limit_decides_and_is_charged_later() {
        RedisLimitEngine engine = engine(
                RedisLimitEngine.builder(RedisSettings.of(redis.proxy.url()).withTimeout(Duration.ofSeconds(2)))
                        .fallback(Fallback.local().within(Duration.ofMillis(250))));
        Limiter limiter = engine.limiter(API);
        Await.until("an answer in time", LONG, () -> limiter.tryAcquire("warm").basis() == Basis.COUNTED);
        Await.until(
                "an answer in time",
                LONG,
                () -> limiter.tryAcquire(gold("warm-2")).basis() == Basis.COUNTED);
        redis.proxy.blackHole();
        Await.until("degraded", LONG, () -> {
            limiter.tryAcquire("warm-3");
            return engine.health() == Health.DEGRADED;
        });
        Decision share = limiter.tryAcquire(gold("bob").withPermits(60));
        assertThat(share.basis()).isEqualTo(Basis.LOCAL_SHARE);
        assertThat(share.remaining()).isEqualTo(40);
        assertThat(share.limit()).isEqualTo(100);
        Decision refunded = limiter.tryAcquire(gold("bob").withPermits(30));
        assertThat(limiter.refund("bob", refunded)).isEqualTo(30);
        assertThat(limiter.peek(gold("bob")).remaining()).isEqualTo(40);
        assertThat(limiter.tryAcquire("bob").denied()).isTrue();
        assertThat(limiter.tryAcquire(PermitRequest.of("alice").withPermits(50)).allowed())
                .isTrue();
        redis.proxy.resume();
        Await.until("healthy", LONG, () -> engine.health() == Health.HEALTHY && engine.isSynced());
        Limiter direct = engine(redis.limits()).limiter(API);
        assertThat(direct.peek(gold("bob")).remaining()).isEqualTo(40);
        assertThat(direct.peek("alice").remaining()).isZero();
    }

    @Test
    void rules_in_several_slots_are_decided_by_their_overrides() {
        Limiter limiter = engine(Engines.builder(redis.proxy.url()).oneSlotACall())
                .limiter(Policy.named("apart")
                        .rule("global", Limit.slidingWindow(40, HOUR))
                        .rule("per-user", Limit.fixedWindow(10, HOUR).fromFirstRequest(), Attributes.USER)
                        .override("global", Attributes.of("plan", "gold"), Limit.slidingWindow(60, HOUR))
                        .override(
                                "per-user",
                                Attributes.of("user", "bob"),
                                Limit.fixedWindow(50, HOUR).fromFirstRequest())
                        .build());
        Decision decision = limiter.tryAcquire(gold("bob").withPermits(45));
        assertThat(decision.rules().stream().map(RuleDecision::limit)).containsExactly(60L, 50L);
        assertThat(decision.allowed()).isTrue();
        Decision denied = limiter.tryAcquire("bob");
        assertThat(denied.deniedBy()).contains("global");
        Await.until(
                "the refund of the other rule",
                LONG,
                () -> limiter.peek(gold("bob")).rules().get(1).remaining() == 5);
        assertThat(limiter.tryAcquire(gold("carol").withPermits(10)).allowed()).isTrue();
        assertThat(limiter.refund("bob", decision)).isEqualTo(45);
        assertThat(limiter.peek("bob").rules().stream().map(RuleDecision::remaining))
                .containsExactly(30L, 50L);
    }

    @Test
    void more_limits_than_an_engine_keeps_are_all_exact() {
        int users = 2500;
        Limiter limiter = engine().limiter(PLAIN.withOverrides(IntStream.range(0, users)
                .mapToObj(i -> override(Map.of("user", "user-" + i), Limit.slidingWindow(100 + i, HOUR)))
                .toList()));
        for (int round = 1; round <= 2; round++) {
            List<CompletableFuture<Decision>> decisions = IntStream.range(0, users)
                    .mapToObj(i -> limiter.async().tryAcquire("user-" + i).toCompletableFuture())
                    .toList();
            for (int i = 0; i < users; i++) {
                assertThat(decisions.get(i).join().limit()).isEqualTo(100 + i);
                assertThat(decisions.get(i).join().remaining()).isEqualTo(100 + i - round);
            }
        }
    }
}
