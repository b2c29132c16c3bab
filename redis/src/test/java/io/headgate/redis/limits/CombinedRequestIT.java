package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.testkit.Await;
import io.headgate.testkit.ManualClock;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Several policies decide one request on Redis. */
class CombinedRequestIT {

    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    /** Stands still, so that a cached denial is not checked in Redis again. */
    private final ManualClock clock = ManualClock.at(Instant.parse("2026-11-29T10:00:00Z"));

    private final List<RedisLimitEngine> engines = new ArrayList<>();
    private final List<String> received = new CopyOnWriteArrayList<>();
    private final RedisLimitEngine limits = engine(true);
    private final Limiter perUser = limits.limiter("per-user", Limit.slidingWindow(5, HOUR));
    private final Limiter perAddress = limits.limiter("per-address", Limit.slidingWindow(2, HOUR));
    private final CombinedRequest request = CombinedRequest.of(perUser, "alice").and(perAddress, "192.0.2.1");

    private RedisLimitEngine engine(boolean cachesDenials) {
        RedisLimitEngine engine = Engines.builder(redis.proxy.url())
                .time(clock)
                .maxCachedDenials(cachesDenials ? 1000 : 0)
                .invalidations(false)
                .listener(new LimitListener() {
                    @Override
                    public void onDecision(
                            Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                        received.add(policy.name() + " " + decision.basis() + " " + decision.allowed() + " "
                                + decision.charged() + " " + (elapsedNanos > 0));
                    }
                })
                .build();
        engines.add(engine);
        return engine;
    }

    @AfterEach
    void close() {
        engines.forEach(RedisLimitEngine::close);
    }

    private long calls() {
        return redis.proxy.commandsSeen("EVALSHA") + redis.proxy.commandsSeen("EVAL");
    }

    private Limiter login() {
        return limits.limiter(Policy.named("login")
                .rule(Rule.of("per-user", Limit.slidingWindow(3, HOUR), "user").countingAttempts())
                .build());
    }

    @Test
    void a_request_is_one_call_whether_it_is_allowed_or_denied() {
        RedisLimitEngine uncached = engine(false);
        CombinedRequest four = CombinedRequest.of(uncached.limiter(perUser.policy()), "alice")
                .and(uncached.limiter(perAddress.policy()), "192.0.2.1")
                .and(uncached.limiter(perAddress.policy()), "192.0.2.2")
                .and(
                        uncached.limiter("bytes", Limit.tokenBucket(1000, 1000, HOUR)),
                        PermitRequest.of("alice").withPermits(100));
        uncached.tryAcquire(four);
        long before = calls();
        int denied = 0;
        for (int i = 0; i < 4; i++) {
            denied += uncached.tryAcquire(four).denied() ? 1 : 0;
        }
        assertThat(denied).isEqualTo(3);
        assertThat(calls() - before).isEqualTo(4);
        assertThat(perUser.peek("alice").remaining()).isEqualTo(3);
        // Each policy is charged the permits of its own part.
        assertThat(limits.limiter("bytes", Limit.tokenBucket(1000, 1000, HOUR))
                        .peek("alice")
                        .remaining())
                .isBetween(800L, 850L);
    }

    @Test
    void combined_and_single_requests_share_their_counts() {
        assertThat(limits.tryAcquire(request).allowed()).isTrue();
        assertThat(perAddress.tryAcquire("192.0.2.1").remaining()).isZero();
        CombinedDecision denied = limits.tryAcquire(request);
        assertThat(denied.decisive().policyName()).isEqualTo("per-address");
        assertThat(denied.decisions()).extracting(Decision::charged).containsExactly(0L, 0L);
        assertThat(denied.decisions().get(0).allowed()).isTrue();
        assertThat(denied.decisions().get(0).remaining()).isEqualTo(4);
        assertThat(perUser.peek("alice").remaining()).isEqualTo(4);
    }

    @Test
    void concurrent_requests_are_never_charged_in_part() {
        CombinedRequest swapped = CombinedRequest.of(perAddress, "192.0.2.1").and(perUser, "alice");
        List<CompletableFuture<CombinedDecision>> decisions = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            decisions.add(limits.tryAcquireAsync(i % 2 == 0 ? request : swapped).toCompletableFuture());
        }
        assertThat(decisions.stream().filter(one -> one.join().allowed())).hasSize(2);
        assertThat(perUser.peek("alice").remaining()).isEqualTo(3);
    }

    @Test
    void a_cached_denial_of_one_policy_denies_without_a_call_and_skips_the_others() {
        perAddress.tryAcquire(PermitRequest.of("192.0.2.1").withPermits(2));
        assertThat(limits.tryAcquire(request).decisions())
                .extracting(Decision::basis)
                .containsExactly(Decision.Basis.COUNTED, Decision.Basis.COUNTED);
        long before = calls();
        received.clear();
        CombinedDecision cached = limits.tryAcquire(request);
        assertThat(calls()).isEqualTo(before);
        assertThat(cached.denied()).isTrue();
        assertThat(cached.retryAfter().orElseThrow()).isPositive().isLessThanOrEqualTo(HOUR);
        assertThat(cached.decisive().basis()).isEqualTo(Decision.Basis.CACHED_DENIAL);
        Decision skipped = cached.decisions().get(0);
        assertThat(skipped.basis()).isEqualTo(Decision.Basis.SKIPPED);
        assertThat(skipped.allowed()).isTrue();
        assertThat(skipped.charged()).isZero();
        assertThat(skipped.rules()).isEmpty();
        assertThat(skipped.decidedAt()).isEqualTo(cached.decisive().decidedAt());
        assertThat(limits.refund(request, cached)).isZero();
        assertThat(received).containsExactly("per-address CACHED_DENIAL false 0 false");
        // The cache serves single requests too, and another address is not denied by it.
        assertThat(perAddress.tryAcquire("192.0.2.1").basis()).isEqualTo(Decision.Basis.CACHED_DENIAL);
        assertThat(limits.tryAcquire(CombinedRequest.of(perUser, "alice").and(perAddress, "192.0.2.2"))
                        .allowed())
                .isTrue();
    }

    @Test
    void a_cached_denial_does_not_hide_that_another_policy_never_allows_the_request() {
        perAddress.tryAcquire(PermitRequest.of("192.0.2.1").withPermits(2));
        limits.tryAcquire(request);
        CombinedDecision never = limits.tryAcquire(
                CombinedRequest.of(perUser, PermitRequest.of("alice").withPermits(6))
                        .and(perAddress, "192.0.2.1"));
        assertThat(never.retryable()).isFalse();
        assertThat(never.decisive().policyName()).isEqualTo("per-user");
    }

    @Test
    void a_policy_in_shadow_mode_does_not_prevent_cached_denials() {
        Limiter trial = limits.limiter(Policy.named("trial")
                .rule(Rule.of("per-user", Limit.slidingWindow(1, HOUR), "user").inShadow())
                .build());
        CombinedRequest both = CombinedRequest.of(trial, "alice").and(perAddress, "192.0.2.1");
        perAddress.tryAcquire(PermitRequest.of("192.0.2.1").withPermits(2));
        assertThat(limits.tryAcquire(both).denied()).isTrue();
        long before = calls();
        assertThat(limits.tryAcquire(both).decisions())
                .extracting(Decision::basis)
                .containsExactly(Decision.Basis.SKIPPED, Decision.Basis.CACHED_DENIAL);
        assertThat(calls()).isEqualTo(before);
    }

    @Test
    void an_attempt_is_counted_although_the_denial_of_another_policy_is_cached() {
        Limiter login = login();
        perAddress.tryAcquire(PermitRequest.of("192.0.2.1").withPermits(2));
        assertThat(perAddress.tryAcquire("192.0.2.1").denied()).isTrue();
        CombinedRequest both = CombinedRequest.of(perAddress, "192.0.2.1").and(login, "alice");
        for (int left = 2; left >= 0; left--) {
            CombinedDecision denied = limits.tryAcquire(both);
            assertThat(denied.denied()).isTrue();
            assertThat(denied.decisions().get(1).remaining()).isEqualTo(left);
        }
        assertThat(login.tryAcquire("alice").denied()).isTrue();
    }

    @Test
    void listeners_are_notified_once_for_each_policy() {
        limits.tryAcquire(request);
        perAddress.tryAcquire("192.0.2.1");
        received.clear();
        limits.tryAcquire(request);
        assertThat(received).containsExactly("per-user COUNTED true 0 true", "per-address COUNTED false 0 true");
    }

    @Test
    void the_whole_and_each_part_is_refunded_once() {
        CombinedDecision whole = limits.tryAcquire(request);
        assertThat(perUser.refund("alice", whole.decisions().get(0))).isEqualTo(1);
        assertThat(limits.refund(request, whole)).isEqualTo(1);
        assertThat(limits.refund(request, whole)).isZero();
        assertThat(perUser.peek("alice").remaining()).isEqualTo(5);
        assertThat(perAddress.peek("192.0.2.1").remaining()).isEqualTo(2);
    }

    @Test
    void combined_requests_charge_leased_policies_in_redis() {
        Limiter leased = limits.limiter(Policy.named("leased")
                .rule("per-user", Limit.tokenBucket(1000, 1000, HOUR), "user")
                .leased()
                .build());
        CombinedRequest both = CombinedRequest.of(perUser, "alice").and(leased, "alice");
        for (int i = 0; i < 5; i++) {
            assertThat(limits.tryAcquire(both).decisions().get(1).basis()).isEqualTo(Decision.Basis.COUNTED);
        }
        assertThat(limits.tryAcquire(both).denied()).isTrue();
        assertThat(leased.peek("alice").remaining()).isBetween(990L, 995L);
    }

    @Test
    void a_combined_request_is_decided_after_earlier_requests_that_wait_for_a_batch() {
        Limiter many = limits.limiter("many", Limit.slidingWindow(500, HOUR));
        List<CompletableFuture<Decision>> before = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            before.add(many.async().tryAcquire("a").toCompletableFuture());
        }
        assertThat(limits.tryAcquire(CombinedRequest.of(many, "a")).denied()).isTrue();
        assertThat(before).allMatch(one -> one.join().allowed());
    }

    @Test
    void hundreds_of_combinations_of_policies_are_decided() {
        List<Limiter> limiters = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            limiters.add(limits.limiter(
                    "p" + i, i % 2 == 0 ? Limit.fixedWindow(1000, HOUR) : Limit.tokenBucket(1000, 1, HOUR)));
        }
        for (Limiter first : limiters) {
            for (Limiter second : limiters) {
                if (first != second) {
                    assertThat(limits.tryAcquire(CombinedRequest.of(first, "a").and(second, "a"))
                                    .allowed())
                            .isTrue();
                }
            }
        }
        assertThat(limiters).allMatch(one -> one.peek("a").remaining() == 1000 - 46);
    }

    @Test
    void superseded_versions_of_a_policy_are_released() {
        WeakReference<Policy> superseded = supersededVersion(perUser);
        assertThat(limits.tryAcquire(request).allowed()).isTrue();
        Await.until("the policy to be released", Duration.ofSeconds(20), () -> {
            System.gc();
            return superseded.get() == null;
        });
    }

    /** Updates the policy and then reverts it. In a separate method, so that no local variable keeps the version in between reachable. */
    private WeakReference<Policy> supersededVersion(Limiter limiter) {
        Policy next = limiter.policy();
        limiter.update(Policy.of("per-user", Limit.slidingWindow(4, HOUR), Attributes.KEY));
        assertThat(limits.tryAcquire(request).allowed()).isTrue();
        WeakReference<Policy> superseded = new WeakReference<>(limiter.policy());
        limiter.update(next);
        return superseded;
    }

    @Test
    void errors_are_reported_before_anything_is_sent() {
        Limiter global = limits.limiter(
                Policy.named("global").rule("all", Limit.fixedWindow(9, HOUR)).build());
        RedisLimitEngine other = engine(true);
        try (InMemoryLimitEngine memory = InMemoryLimitEngine.create()) {
            long before = calls();
            List<CombinedRequest> wrong = List.of(
                    request.and(perUser, "alice"),
                    request.and(global, PermitRequest.global()).and(global, PermitRequest.global()),
                    request.and(perUser, PermitRequest.of(Attributes.of("user", "bob"))),
                    request.and(other.limiter(global.policy()), PermitRequest.global()),
                    request.and(memory.limiter(global.policy()), PermitRequest.global()));
            for (CombinedRequest one : wrong) {
                assertThatThrownBy(() -> limits.tryAcquire(one)).isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> limits.tryAcquireAsync(one)).isInstanceOf(IllegalArgumentException.class);
            }
            assertThat(calls()).isEqualTo(before);
        }
    }

    @Test
    void rules_in_several_slots_leave_nothing_charged_when_one_denies() {
        try (RedisLimitEngine apart = Engines.builder(redis.proxy.url())
                .maxCachedDenials(0)
                .oneSlotACall()
                .build()) {
            Limiter user = apart.limiter(perUser.policy());
            Limiter address = apart.limiter(perAddress.policy());
            CombinedRequest both = CombinedRequest.of(user, "alice").and(address, "192.0.2.1");
            assertThat(apart.tryAcquire(both).allowed()).isTrue();
            CombinedDecision second = apart.tryAcquire(both);
            long before = calls();
            assertThat(apart.tryAcquire(both).denied()).isTrue();
            assertThat(user.peek("alice").remaining()).isEqualTo(3);
            // One for each rule, one for the refund, and one for the peek.
            assertThat(calls() - before).isEqualTo(4);
            assertThat(apart.refund(both, second)).isEqualTo(1);
            assertThat(user.peek("alice").remaining()).isEqualTo(4);
            assertThat(address.peek("192.0.2.1").remaining()).isEqualTo(1);
        }
    }
}
