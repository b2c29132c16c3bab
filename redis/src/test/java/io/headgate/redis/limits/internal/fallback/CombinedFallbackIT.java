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
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.OwnRedis;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Several policies decide one request while Redis does not reply: all are charged, or none. */
class CombinedFallbackIT {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration HOUR = Duration.ofHours(1);

    /** Enough for a reply on a busy machine. */
    private static final Duration BUDGET = Duration.ofMillis(250);

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private final List<String> received = new CopyOnWriteArrayList<>();
    private RedisLimitEngine limits;
    private RedisLimitEngine direct;
    private Limiter perUser;
    private Limiter perAddress;
    private CombinedRequest request;

    @BeforeEach
    void open() {
        limits = RedisLimitEngine.builder(RedisSettings.of(redis.proxy.url()).withTimeout(Duration.ofSeconds(2)))
                .listener(new LimitListener() {
                    @Override
                    public void onDecision(
                            Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                        received.add(policy.name() + " " + decision.basis() + " " + decision.allowed());
                    }

                    @Override
                    public void onFailure(
                            Policy policy, Attributes attributes, long permits, LimiterException failure) {
                        received.add(policy.name() + " failed");
                    }
                })
                .build();
        direct = redis.limits().fallback(Fallback.none()).build();
        perUser = limiter("per-user", 5, Fallback.local());
        perAddress = limiter("per-address", 2, Fallback.local());
        request = CombinedRequest.of(perUser, "alice").and(perAddress, "192.0.2.1");
    }

    @AfterEach
    void close() {
        redis.proxy.resume();
        limits.close();
        direct.close();
    }

    private Limiter limiter(String name, long permits, Fallback fallback) {
        return limits.limiter(Policy.named(name)
                .rule("limit", Limit.slidingWindow(permits, HOUR), "key")
                .fallback(fallback.within(BUDGET))
                .build());
    }

    private Decision counted(Limiter limiter, String id) {
        return direct.limiter(limiter.policy()).peek(id);
    }

    /** Scripts and classes are loaded with the first request, which may take longer than a budget. */
    private void warm(Limiter... limiters) {
        Await.until("an answer in time", SOON, () -> {
            CombinedRequest all = CombinedRequest.of(limiters[0], "warm");
            for (int i = 1; i < limiters.length; i++) {
                all = all.and(limiters[i], "warm");
            }
            CombinedDecision decision = limits.tryAcquire(all);
            return decision.denied() || decision.decisions().get(0).basis() == Decision.Basis.COUNTED;
        });
    }

    private void degrade() {
        redis.proxy.blackHole();
        Await.until("degraded", SOON, () -> {
            perUser.tryAcquire("somebody");
            return limits.health() == Health.DEGRADED;
        });
        received.clear();
    }

    @Test
    void a_local_share_is_not_charged_if_another_policy_denies() {
        warm(perUser, perAddress);
        degrade();
        assertThat(limits.tryAcquire(request).allowed()).isTrue();
        assertThat(limits.tryAcquire(request).allowed()).isTrue();
        for (int i = 0; i < 5; i++) {
            CombinedDecision denied = limits.tryAcquire(request);
            assertThat(denied.decisive().policyName()).isEqualTo("per-address");
            assertThat(denied.decisions()).extracting(Decision::charged).containsExactly(0L, 0L);
            assertThat(denied.decisions().get(0).remaining()).isEqualTo(3);
        }
        assertThat(perUser.peek("alice").remaining()).isEqualTo(3);
        assertThat(received)
                .hasSize(14)
                .startsWith("per-user LOCAL_SHARE true", "per-address LOCAL_SHARE true")
                .endsWith("per-user LOCAL_SHARE true", "per-address LOCAL_SHARE false");
        redis.proxy.resume();
        Await.until("all usage to be charged", SOON, limits::isSynced);
        assertThat(counted(perUser, "alice").remaining()).isEqualTo(3);
        assertThat(counted(perAddress, "192.0.2.1").remaining()).isZero();
    }

    @Test
    void a_closed_policy_denies_for_all_and_an_open_one_allows() {
        Limiter closed = limiter("closed", 5, Fallback.closed());
        Limiter open = limiter("open", 5, Fallback.open());
        warm(perUser, closed);
        degrade();
        CombinedDecision denied = limits.tryAcquire(
                CombinedRequest.of(perUser, "alice").and(open, "alice").and(closed, "alice"));
        assertThat(denied.decisions())
                .extracting(Decision::basis)
                .containsExactly(Decision.Basis.LOCAL_SHARE, Decision.Basis.OPEN, Decision.Basis.CLOSED);
        assertThat(denied.decisive().policyName()).isEqualTo("closed");
        assertThat(denied.retryAfter()).contains(Duration.ofSeconds(1));
        assertThat(perUser.peek("alice").remaining()).isEqualTo(5);
        CombinedDecision allowed =
                limits.tryAcquire(CombinedRequest.of(perUser, "alice").and(open, "alice"));
        assertThat(allowed.allowed()).isTrue();
        assertThat(allowed.decisive().policyName()).isEqualTo("per-user");
        assertThat(perUser.peek("alice").remaining()).isEqualTo(4);
    }

    @Test
    void a_decision_of_local_shares_is_refunded() {
        warm(perUser, perAddress);
        degrade();
        CombinedDecision decision = limits.tryAcquire(request);
        assertThat(limits.refund(request, decision)).isEqualTo(1);
        assertThat(limits.refund(request, decision)).isZero();
        assertThat(perUser.peek("alice").remaining()).isEqualTo(5);
        assertThat(perAddress.peek("192.0.2.1").remaining()).isEqualTo(2);
    }

    @Test
    void a_policy_without_a_fallback_fails_the_request_and_charges_no_share() {
        Limiter strict = limiter("strict", 5, Fallback.none());
        warm(perUser, strict);
        degrade();
        CombinedRequest both = CombinedRequest.of(perUser, "alice").and(strict, "alice");
        assertThatThrownBy(() -> limits.tryAcquire(both))
                .isInstanceOf(LimiterException.class)
                .hasMessageContaining("no answer within 250 ms");
        assertThat(received).containsExactly("per-user failed", "strict failed");
        assertThat(limits.tryAcquireAsync(both).toCompletableFuture())
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableThat()
                .withCauseInstanceOf(LimiterException.class);
        assertThat(perUser.peek("alice").remaining()).isEqualTo(5);
    }

    @Test
    void a_request_that_no_fallback_decides_waits_for_redis_longer_than_a_time_budget() {
        Limiter strict = limits.limiter(Policy.named("strict")
                .rule("limit", Limit.slidingWindow(5, HOUR), "key")
                .fallback(Fallback.none())
                .build());
        warm(perUser, strict);
        redis.proxy.blackHole();
        CombinedRequest both = CombinedRequest.of(perUser, "alice").and(strict, "alice");
        long start = System.nanoTime();
        assertThat(limits.tryAcquireAsync(both).toCompletableFuture())
                .failsWithin(SOON)
                .withThrowableThat()
                .withCauseInstanceOf(LimiterException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofSeconds(1));
    }

    @Test
    void a_request_with_a_slow_reply_is_decided_by_shares_and_not_charged_twice() {
        warm(perUser, perAddress);
        redis.proxy.holdReplies();
        CombinedDecision local = limits.tryAcquire(request);
        assertThat(local.allowed()).isTrue();
        assertThat(local.decisive().basis()).isEqualTo(Decision.Basis.LOCAL_SHARE);
        redis.proxy.resume();
        Await.until("the late reply", SOON, () -> limits.callsInFlight() == 0);
        Await.until("all usage to be charged", SOON, limits::isSynced);
        assertThat(counted(perUser, "alice").remaining()).isEqualTo(4);
        assertThat(counted(perAddress, "192.0.2.1").remaining()).isEqualTo(1);
    }

    @Test
    void a_late_admission_of_redis_is_refunded_to_all_policies() {
        Limiter closed = limiter("closed", 5, Fallback.closed());
        warm(perUser, closed);
        redis.proxy.holdReplies();
        CombinedDecision denied =
                limits.tryAcquire(CombinedRequest.of(perUser, "alice").and(closed, "alice"));
        assertThat(denied.denied()).isTrue();
        assertThat(denied.decisions().get(0).allowed()).isTrue();
        redis.proxy.resume();
        Await.until(
                "the refund",
                SOON,
                () -> limits.callsInFlight() == 0
                        && counted(perUser, "alice").remaining() == 5
                        && counted(closed, "alice").remaining() == 5);
        // What only the share of the first policy would have admitted is not charged later.
        assertThat(limits.isSynced()).isTrue();
    }

    @Test
    void an_interrupted_caller_receives_the_decision_of_the_local_shares() {
        warm(perUser, perAddress);
        Thread.currentThread().interrupt();
        CombinedDecision decision = limits.tryAcquire(request);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(decision.decisions()).extracting(Decision::basis).containsOnly(Decision.Basis.LOCAL_SHARE);
    }

    @Test
    void the_local_share_starts_from_the_counts_of_combined_decisions_of_redis() {
        warm(perUser, perAddress);
        limits.tryAcquire(request);
        degrade();
        assertThat(perUser.tryAcquire(PermitRequest.of("alice").withPermits(5)).denied())
                .isTrue();
        assertThat(limits.tryAcquire(request).allowed()).isTrue();
        assertThat(limits.tryAcquire(request).denied()).isTrue();
    }
}
