package io.headgate.redis.limits.internal.denials;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.OwnRedis;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A denial is returned from the cache as long as it holds, except for one request a second that goes to Redis. */
class DenialCacheIT {

    @RegisterExtension
    final OwnRedis redis = new OwnRedis();

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Policy FIVE = Policy.of("five", Limit.slidingWindow(5, MINUTE), Attributes.USER);

    private static Policy withGold(Limit limit, Limit ofGold) {
        return Policy.named("plans")
                .rule("per-user", limit, Attributes.USER)
                .override("per-user", Attributes.of("plan", "gold"), ofGold)
                .build();
    }

    private static final PermitRequest GOLD =
            PermitRequest.of(Attributes.of("user", "alice").with("plan", "gold"));

    private final RedisProbe probe = redis.probe;
    private final ManualClock clock = ManualClock.at(Instant.parse("2025-01-01T00:00:00Z"));
    private final List<Decision> decisions = new ArrayList<>();
    private RedisLimitEngine limits = engine();

    private RedisLimitEngine engine() {
        return Engines.builder(redis.url())
                .time(clock)
                .listener(new LimitListener() {
                    @Override
                    public void onDecision(
                            Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                        decisions.add(decision);
                    }
                })
                .build();
    }

    @BeforeEach
    void resetCallCounts() {
        probe.command("CONFIG", "RESETSTAT");
    }

    @AfterEach
    void close() {
        limits.close();
    }

    private long calls() {
        return probe.commandCalls().getOrDefault("EVALSHA", 0L);
    }

    private Limiter exhausted(Policy policy) {
        Limiter limiter = limits.limiter(policy);
        Decision last = limiter.tryAcquire("alice");
        while (last.allowed()) {
            last = limiter.tryAcquire("alice");
        }
        assertThat(last.basis()).isEqualTo(Basis.COUNTED);
        return limiter;
    }

    @Test
    void a_denied_key_costs_at_most_one_call_a_second() {
        Limiter limiter = exhausted(FIVE);
        long before = calls();
        for (int i = 0; i < 10_000; i++) {
            clock.advance(Duration.ofMillis(1));
            assertThat(limiter.tryAcquire("alice").denied()).isTrue();
        }
        assertThat(calls() - before).isEqualTo(10);
        assertThat(limiter.tryAcquire("bob").allowed()).isTrue();
    }

    @Test
    void a_denied_key_with_two_limits_costs_at_most_one_call_a_second_for_each() {
        Limiter limiter = exhausted(withGold(Limit.slidingWindow(5, MINUTE), Limit.slidingWindow(8, MINUTE)));
        assertThat(limiter.tryAcquire(GOLD.withPermits(3)).allowed()).isTrue();
        assertThat(limiter.tryAcquire(GOLD).denied()).isTrue();
        long before = calls();
        for (int i = 0; i < 10_000; i++) {
            clock.advance(Duration.ofMillis(1));
            assertThat(limiter.tryAcquire("alice").limit()).isEqualTo(5);
            assertThat(limiter.tryAcquire(GOLD).limit()).isEqualTo(8);
        }
        assertThat(calls() - before).isEqualTo(20);
    }

    @Test
    void admissions_under_a_larger_limit_of_a_key_leave_its_cached_denial() {
        Limiter limiter = exhausted(withGold(Limit.slidingWindow(5, MINUTE), Limit.slidingWindow(1000, MINUTE)));
        for (int i = 0; i < 900; i++) {
            assertThat(limiter.tryAcquire(GOLD).allowed()).isTrue();
            assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Basis.CACHED_DENIAL);
        }
    }

    @Test
    void an_admission_that_restarts_the_window_ends_the_denial_under_another_limit() {
        Limiter limiter = exhausted(withGold(Limit.fixedWindow(5, Duration.ofHours(1)), Limit.fixedWindow(9, MINUTE)));
        clock.advance(MINUTE);
        assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Basis.COUNTED);
        assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Basis.CACHED_DENIAL);
        assertThat(limiter.tryAcquire(GOLD).remaining()).isEqualTo(8);
        assertThat(limiter.tryAcquire("alice").remaining()).isEqualTo(3);
    }

    @Test
    void a_cached_denial_equals_the_decision_of_redis_and_states_its_basis() {
        Limiter limiter = exhausted(FIVE);
        clock.advance(Duration.ofMillis(300));
        Decision cached = limiter.tryAcquire("alice");
        assertThat(cached.basis()).isEqualTo(Basis.CACHED_DENIAL);
        assertThat(cached).isEqualTo(limiter.peek("alice"));
        assertThat(cached.retryAfter()).contains(MINUTE.minusMillis(300));
        assertThat(cached.charged()).isZero();
        assertThat(decisions).contains(cached);
    }

    @Test
    void a_request_at_the_retry_time_goes_to_redis() {
        Limiter limiter =
                limits.limiter(Policy.of("short", Limit.slidingWindow(1, Duration.ofMillis(100)), Attributes.USER));
        limiter.tryAcquire("alice");
        limiter.tryAcquire("alice");
        clock.advance(Duration.ofMillis(100).minusNanos(1000));
        assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Basis.CACHED_DENIAL);
        clock.advance(Duration.ofNanos(1000));
        assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
    }

    @Test
    void a_denial_with_the_longest_reset_time_is_not_cached() {
        Limiter limiter = limits.limiter(
                Policy.of("longest", Limit.tokenBucket(999_990_092, 1, Duration.ofMillis(1)), Attributes.USER));
        assertThat(limiter.tryAcquire(PermitRequest.of("alice").withPermits(999_990_092))
                        .allowed())
                .isTrue();
        limiter.update(
                Policy.of("longest", Limit.tokenBucket(2, 15, Duration.ofNanos(4_743_407_000L)), Attributes.USER));
        // At the new rate, the missing permits take the longest reset time to refill.
        Decision denied = limiter.tryAcquire("alice");
        assertThat(denied.resetAfter()).isEqualTo(Duration.ofDays(3660));
        clock.advance(Duration.ofNanos(1000));
        Decision again = limiter.tryAcquire("alice");
        assertThat(again.basis()).isEqualTo(Basis.COUNTED);
        assertThat(again).isEqualTo(limiter.peek("alice"));
    }

    @Test
    void a_denial_covers_as_many_permits_or_more_and_not_fewer() {
        Limiter limiter = limits.limiter(FIVE);
        limiter.tryAcquire(PermitRequest.of("alice").withPermits(2));
        assertThat(limiter.tryAcquire(PermitRequest.of("alice").withPermits(4)).denied())
                .isTrue();
        assertThat(limiter.tryAcquire(PermitRequest.of("alice").withPermits(5)).basis())
                .isEqualTo(Basis.CACHED_DENIAL);
        assertThat(limiter.tryAcquire(PermitRequest.of("alice").withPermits(3)).allowed())
                .isTrue();
    }

    @Test
    void a_request_for_more_than_the_limit_is_denied_by_redis_as_not_retryable() {
        Policy policy = Policy.named("never")
                .rule("large", Limit.slidingWindow(100, MINUTE), Attributes.USER)
                .rule("small", Limit.tokenBucket(5, 1, MINUTE))
                .build();
        Limiter limiter = exhausted(policy);
        assertThat(limiter.tryAcquire(PermitRequest.of("alice").withPermits(5)).retryable())
                .isTrue();
        Decision never = limiter.tryAcquire(PermitRequest.of("alice").withPermits(6));
        assertThat(never.basis()).isEqualTo(Basis.COUNTED);
        assertThat(never.retryable()).isFalse();
        assertThat(never).isEqualTo(limiter.peek(PermitRequest.of("alice").withPermits(6)));
        Limiter zero = limits.limiter(Policy.of("zero", Limit.fixedWindow(0, Duration.ofDays(1)), Attributes.USER));
        assertThat(zero.tryAcquire("alice").retryable()).isFalse();
    }

    @Test
    void of_several_cached_denials_the_longest_is_returned() {
        Policy policy = Policy.named("both")
                .rule("short", Limit.slidingWindow(1, Duration.ofSeconds(10)), Attributes.USER)
                .rule("long", Limit.slidingWindow(1, MINUTE), Attributes.USER)
                .rule("middle", Limit.slidingWindow(1, Duration.ofSeconds(20)), Attributes.USER)
                .build();
        Limiter limiter = exhausted(policy);
        Decision cached = limiter.tryAcquire("alice");
        assertThat(cached.basis()).isEqualTo(Basis.CACHED_DENIAL);
        assertThat(cached.deniedBy()).contains("long");
        assertThat(cached.retryAfter()).contains(MINUTE);
    }

    @Test
    void a_refund_a_reset_and_a_changed_limit_drop_the_denial() {
        Limiter limiter = exhausted(FIVE);
        limiter.refundOldest(PermitRequest.of("alice"));
        assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
        assertThat(limiter.tryAcquire("alice").denied()).isTrue();
        limiter.reset("alice");
        assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
        limiter = exhausted(FIVE);
        limiter.update(Policy.of("five", Limit.slidingWindow(6, MINUTE), Attributes.USER));
        assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
    }

    @Test
    void an_unpublished_release_by_another_instance_is_noticed_within_a_second() {
        Limiter limiter = exhausted(FIVE);
        try (RedisLimitEngine other =
                Engines.builder(redis.url()).time(clock).invalidations(false).build()) {
            assertThat(other.limiter(FIVE).reset("alice")).isTrue();
        }
        clock.advance(Duration.ofSeconds(1).minusNanos(1000));
        assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Basis.CACHED_DENIAL);
        clock.advance(Duration.ofNanos(1000));
        assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
        assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
    }

    @Test
    void a_cached_denial_by_a_shared_rule_denies_other_ids_and_names_the_rule() {
        Policy policy = Policy.named("two")
                .rule("global", Limit.fixedWindow(3, MINUTE))
                .rule("per-user", Limit.slidingWindow(5, MINUTE), Attributes.USER)
                .build();
        Limiter limiter = exhausted(policy);
        Decision bobs = limiter.tryAcquire("bob");
        assertThat(bobs.basis()).isEqualTo(Basis.CACHED_DENIAL);
        assertThat(bobs.deniedBy()).contains("global");
        assertThat(bobs.rules()).singleElement().isEqualTo(bobs.decisive().orElseThrow());
        limiter.resetRule("global", Attributes.none());
        assertThat(limiter.tryAcquire("bob").rules()).hasSize(2);
    }

    @Test
    void denials_that_count_attempts_and_those_of_shadow_rules_are_not_cached() {
        Limit one = Limit.slidingWindow(1, MINUTE);
        Limiter attempts = limits.limiter(Policy.named("attempts")
                .rule(Rule.of("r", one, Attributes.USER).countingAttempts())
                .rule("other", Limit.fixedWindow(1, MINUTE), Attributes.USER)
                .build());
        Limiter shadow = limits.limiter(Policy.named("shadow")
                .rule(Rule.of("r", one, Attributes.USER).inShadow())
                .build());
        for (int i = 0; i < 10; i++) {
            assertThat(attempts.tryAcquire("alice").basis()).isEqualTo(Basis.COUNTED);
            assertThat(shadow.tryAcquire("alice").allowed()).isTrue();
        }
        assertThat(calls()).isEqualTo(20);
    }

    @Test
    void limiters_of_one_engine_share_denials() {
        exhausted(FIVE);
        assertThat(limits.limiter(FIVE).tryAcquire("alice").basis()).isEqualTo(Basis.CACHED_DENIAL);
        limits.limiter(FIVE).reset("alice");
        assertThat(limits.limiter(FIVE).tryAcquire("alice").allowed()).isTrue();
    }

    @Test
    void a_cache_of_size_zero_and_very_long_ids_send_every_request() {
        try (RedisLimitEngine none =
                Engines.builder(redis.url()).time(clock).maxCachedDenials(0).build()) {
            Limiter uncached = none.limiter(FIVE);
            for (int i = 0; i < 10; i++) {
                assertThat(uncached.tryAcquire("alice").basis()).isEqualTo(Basis.COUNTED);
            }
        }
        Limiter five = limits.limiter(FIVE);
        for (int i = 0; i < 10; i++) {
            assertThat(five.tryAcquire("x".repeat(200)).basis()).isEqualTo(Basis.COUNTED);
        }
    }
}
