package io.headgate.redis.limits.internal.leases;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Decision.Basis;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.Micros;
import io.headgate.redis.capacity.CapacityPlan;
import io.headgate.redis.limits.Engines;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Under a policy with leases, requests of ids with high demand are decided by permits that were charged before. */
class PermitLeasesIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration LEASE = Duration.ofMillis(500);
    private static final Policy API = leased("api", Limit.slidingWindow(10_000, MINUTE));

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final ManualClock clock = ManualClock.at(Instant.parse("2025-01-01T00:00:00Z"));
    private final List<Decision> events = new ArrayList<>();
    private final RedisLimitEngine limits = engine();
    private final RedisLimitEngine other = engine();
    /** Each ping is a script call, too. */
    private int pings;

    private static Policy leased(String name, Limit limit) {
        return Policy.named(name)
                .rule("limit", limit, Attributes.USER)
                .leased(LEASE)
                .build();
    }

    private RedisLimitEngine engine() {
        return Engines.builder(REDIS.url())
                .time(clock)
                .listener(new LimitListener() {
                    @Override
                    public void onDecision(
                            Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                        events.add(decision);
                    }
                })
                .build();
    }

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @BeforeEach
    void resetCallCounts() {
        probe.flushAll();
        probe.command("CONFIG", "RESETSTAT");
    }

    @AfterEach
    void close() {
        limits.close();
        other.close();
        probe.close();
    }

    private long calls() {
        return probe.commandCalls().getOrDefault("EVALSHA", 0L);
    }

    /** Waits for all replies and for the calls that they cause, which are sent before the next reply arrives. */
    private void awaitSettled() {
        ping();
        Await.until("all is answered", PATIENCE, () -> limits.callsInFlight() == 0 && other.callsInFlight() == 0);
        ping();
    }

    private void ping() {
        pings++;
        limits.ping().toCompletableFuture().join();
    }

    /** Makes requests until permits are leased; returns the number of requests. */
    private int warmUp(Limiter limiter) {
        Decision last = limiter.tryAcquire("alice");
        int requests = 1;
        for (; last.basis() != Basis.LEASED; requests++) {
            last = limiter.tryAcquire("alice");
            awaitSettled();
        }
        return requests;
    }

    private static long remaining(Limiter limiter) {
        return limiter.peek("alice").remaining();
    }

    @Test
    void a_hot_key_costs_few_calls() {
        Limiter limiter = limits.limiter(API);
        for (int i = 0; i < 5_000; i++) {
            assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
            awaitSettled();
        }
        assertThat(calls() - pings).isLessThan(40);
        assertThat(events).hasSize(5_000);
    }

    @Test
    void a_plan_predicts_the_number_of_calls_within_a_factor_of_four() {
        Limiter limiter = limits.limiter(API);
        int seconds = 10;
        for (int i = 0; i < 500 * seconds; i++) {
            assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
            awaitSettled();
            clock.advance(Duration.ofMillis(2));
            if (i % 30 == 0) {
                limits.sweepLeases();
            }
        }
        double planned = CapacityPlan.builder()
                .policy(API)
                .ids(Attributes.USER, 1)
                .requestsPerSecond(500)
                .build()
                .roundTripsPerSecond();
        assertThat((double) (calls() - pings)).isBetween(planned * seconds / 4, planned * seconds * 1.15);
    }

    @Test
    void a_rare_id_is_counted_in_redis_each_time() {
        Limiter limiter = limits.limiter(API);
        for (int i = 0; i < 100; i++) {
            assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Basis.COUNTED);
            clock.advance(Duration.ofMillis(100));
        }
        assertThat(calls()).isEqualTo(100);
        assertThat(remaining(limiter)).isEqualTo(10_000 - 100);
    }

    @Test
    void a_limit_with_few_remaining_permits_is_counted_in_redis_each_time() {
        Limiter limiter = limits.limiter(leased("small", Limit.slidingWindow(15, MINUTE)));
        for (int i = 0; i < 15; i++) {
            assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Basis.COUNTED);
            awaitSettled();
        }
        assertThat(limiter.tryAcquire("alice").denied()).isTrue();
    }

    @Test
    void a_decision_by_a_lease_reports_its_basis_and_what_remains() {
        Limiter limiter = limits.limiter(API);
        int requests = warmUp(limiter);
        Decision leased = limiter.tryAcquire(PermitRequest.of("alice").withPermits(2));
        assertThat(leased.basis()).isEqualTo(Basis.LEASED);
        assertThat(leased.charged()).isEqualTo(2);
        assertThat(leased.remaining()).isBetween(10_000L - requests - 2, 10_000L - 2);
        assertThat(leased.limit()).isEqualTo(10_000);
        assertThat(events).contains(leased);
    }

    @Test
    void permits_not_spent_in_time_are_refunded() {
        Limiter limiter = limits.limiter(API);
        int requests = warmUp(limiter);
        assertThat(remaining(limiter)).isLessThan(10_000 - requests);
        clock.advance(LEASE);
        assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Basis.COUNTED);
        limits.sweepLeases();
        awaitSettled();
        assertThat(remaining(limiter)).isEqualTo(10_000 - requests - 1);
    }

    @Test
    void permits_without_demand_are_refunded_before_the_lease_expires() {
        Limiter limiter = limits.limiter(API);
        int requests = warmUp(limiter);
        limits.sweepLeases();
        clock.advance(LEASE.dividedBy(2));
        limits.sweepLeases();
        awaitSettled();
        assertThat(remaining(limiter)).isEqualTo(10_000 - requests);
    }

    @Test
    void closing_the_engine_refunds_all_leased_permits() {
        int requests = warmUp(limits.limiter(API));
        limits.close();
        assertThat(remaining(other.limiter(API))).isEqualTo(10_000 - requests);
    }

    @Test
    void an_update_of_the_policy_refunds_all_leased_permits() {
        Limiter limiter = limits.limiter(API);
        int requests = warmUp(limiter);
        limiter.update(leased("api", Limit.slidingWindow(100, MINUTE)));
        awaitSettled();
        assertThat(remaining(limiter)).isEqualTo(100 - requests);
        assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Basis.COUNTED);
    }

    @Test
    void the_refunds_of_many_ids_are_sent_with_bounded_concurrency() {
        int ids = 500;
        try (RedisLimitEngine few = Engines.builder(
                        Engines.settings(REDIS.url()).withMaxInFlightCalls(LeaseReturns.MAX_IN_FLIGHT + 6))
                .time(clock)
                .build()) {
            Limiter limiter = few.limiter(API);
            for (int id = 0; id < ids; id++) {
                limiter.tryAcquire(PermitRequest.of("user-" + id).withPermits(LeasedPermits.MIN_PERMITS));
            }
            Await.until("all to be leased", PATIENCE, () -> few.callsInFlight() == 0);
            for (int id = 0; id < ids; id++) {
                assertThat(other.limiter(API).peek("user-" + id).remaining())
                        .isEqualTo(10_000 - 2 * LeasedPermits.MIN_PERMITS);
            }
            // With more refunds in flight than their bound, calls would be rejected, and permits would stay charged.
            limiter.update(Policy.of("api", Limit.slidingWindow(20_000, MINUTE), Attributes.USER));
            Limiter now = other.limiter(Policy.of("api", Limit.slidingWindow(20_000, MINUTE), Attributes.USER));
            for (int id = 0; id < ids; id++) {
                String user = "user-" + id;
                Await.until(
                        user + " to be refunded",
                        PATIENCE,
                        () -> now.peek(user).remaining() == 20_000 - LeasedPermits.MIN_PERMITS);
            }
        }
    }

    @Test
    void another_limiter_of_the_updated_policy_leases_again() {
        Limiter changed = limits.limiter(API);
        Limiter same = limits.limiter(API);
        warmUp(changed);
        assertThat(same.tryAcquire("alice").basis()).isEqualTo(Basis.LEASED);
        changed.update(leased("api", Limit.slidingWindow(9_000, MINUTE)));
        awaitSettled();
        assertThat(same.tryAcquire("alice").basis()).isEqualTo(Basis.COUNTED);
        int requests = warmUp(same);
        assertThat(requests).isLessThan(20);
        assertThat(limits.limiter(API).tryAcquire("alice").basis()).isEqualTo(Basis.LEASED);
    }

    @Test
    void a_policy_without_limiters_is_removed_after_its_permits_are_refunded() {
        warmUp(limits.limiter(API));
        for (int i = 0; i < 50; i++) {
            limits.limiter(leased("dropped-" + i, Limit.slidingWindow(10_000, MINUTE)));
        }
        Await.until("unused policies to be removed", PATIENCE, () -> {
            System.gc();
            limits.limiter(leased("next", Limit.slidingWindow(10_000, MINUTE)));
            return limits.leasedPolicies() < 10;
        });
        assertThat(limits.load().leasedIds()).isEqualTo(1);
        assertThat(limits.limiter(API).tryAcquire("alice").basis()).isEqualTo(Basis.LEASED);
        clock.advance(LEASE.multipliedBy(3));
        limits.sweepLeases();
        awaitSettled();
        limits.sweepLeases();
        Await.until("the other policies to be removed", PATIENCE, () -> {
            System.gc();
            limits.limiter(leased("last", Limit.slidingWindow(10_000, MINUTE)));
            return limits.leasedPolicies() == 1;
        });
    }

    @Test
    void a_refund_of_leased_permits_wakes_waiting_requests() {
        // Without invalidations, because waiting requests retry after a subscription, and a retry would keep the leased
        // permits in demand.
        try (RedisLimitEngine alone =
                Engines.builder(REDIS.url()).time(clock).invalidations(false).build()) {
            Limiter limiter = alone.limiter(leased("waited", Limit.slidingWindow(100, Duration.ofHours(1))));
            int requests = 1;
            while (limiter.tryAcquire("alice").basis() != Basis.LEASED) {
                requests++;
                awaitAnswers(alone);
            }
            CompletableFuture<Decision> wait = alone.limiter(limiter.policy())
                    .async()
                    .acquire(PermitRequest.of("alice").withPermits(100 - requests), Duration.ofHours(2))
                    .toCompletableFuture();
            awaitAnswers(alone);
            assertThat(wait).isNotDone();
            alone.sweepLeases();
            clock.advance(LEASE.dividedBy(2));
            alone.sweepLeases();
            assertThat(wait).succeedsWithin(PATIENCE).matches(Decision::allowed);
        }
    }

    /** Waits until all calls in flight are answered, and the tasks that their replies scheduled have run. */
    private static void awaitAnswers(RedisLimitEngine engine) {
        engine.ping().toCompletableFuture().join();
        Await.until("all is answered", PATIENCE, () -> engine.callsInFlight() == 0);
        engine.ping().toCompletableFuture().join();
    }

    @Test
    void a_reset_discards_leased_permits() {
        Limiter limiter = limits.limiter(leased("bucket", Limit.tokenBucket(1_000, 1, Duration.ofSeconds(1))));
        warmUp(limiter);
        long before = remaining(limits.limiter(leased("bucket", Limit.tokenBucket(1_000, 1, Duration.ofSeconds(1)))));
        assertThat(limiter.resetRule("limit", Attributes.of(Attributes.USER, "alice")))
                .isTrue();
        awaitSettled();
        assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Basis.COUNTED);
        awaitSettled();
        clock.advance(LEASE);
        limits.sweepLeases();
        awaitSettled();
        // The burst of a leased bucket is smaller by what refills in a lease: half a permit, rounded up to one.
        assertThat(remaining(limiter)).isEqualTo(1_000 - 1 - 1).isGreaterThan(before);
    }

    @Test
    void a_reset_of_one_id_keeps_the_leases_of_others() {
        Limiter limiter = limits.limiter(API);
        warmUp(limiter);
        limiter.resetRule("limit", Attributes.of(Attributes.USER, "bob"));
        assertThat(limiter.tryAcquire("alice").basis()).isEqualTo(Basis.LEASED);
    }

    @Test
    void a_refund_of_leased_permits_invalidates_the_denials_that_they_caused() {
        Limiter limiter = limits.limiter(leased("wanted", Limit.slidingWindow(100, MINUTE)));
        int requests = warmUp(limiter);
        assertThat(limiter.tryAcquire(PermitRequest.of("alice").withPermits(100 - requests))
                        .denied())
                .isTrue();
        awaitSettled();
        assertThat(limiter.tryAcquire(PermitRequest.of("alice").withPermits(100 - requests))
                        .basis())
                .isEqualTo(Basis.CACHED_DENIAL);
        limits.sweepLeases();
        clock.advance(LEASE.dividedBy(2));
        limits.sweepLeases();
        awaitSettled();
        Decision again = limiter.tryAcquire(PermitRequest.of("alice").withPermits(100 - requests));
        assertThat(again.allowed())
                .as("%s after %d, %s", again, requests, again.basis())
                .isTrue();
    }

    @Test
    void a_leased_decision_can_be_refunded() {
        Limiter limiter = limits.limiter(API);
        warmUp(limiter);
        Decision leased = limiter.tryAcquire(PermitRequest.of("alice").withPermits(3));
        long before = remaining(limiter);
        assertThat(limiter.refund("alice", leased)).isEqualTo(3);
        assertThat(remaining(limiter)).isEqualTo(before + 3);
        assertThat(limiter.refund("alice", limiter.tryAcquire("alice"))).isEqualTo(1);
    }

    @Test
    void a_bucket_refunds_no_more_than_is_left_of_the_charge() {
        Policy bucket = leased("bucket", Limit.tokenBucket(100, 10, Duration.ofSeconds(1)));
        Limiter limiter = limits.limiter(bucket);
        List<Decision> spent = new ArrayList<>();
        while (spent.size() < 15) {
            Decision decision = limiter.tryAcquire("alice");
            awaitSettled();
            if (decision.basis() == Basis.LEASED) {
                spent.add(decision);
            }
        }
        clock.advance(Duration.ofMillis(300));
        assertThat(other.limiter(bucket)
                        .tryAcquire(PermitRequest.of("alice").withPermits(20))
                        .allowed())
                .isTrue();
        limits.sweepLeases();
        awaitSettled();
        Decision last = spent.get(spent.size() - 1);
        // Now the bucket has refilled all leased permits but the last one.
        clock.setMicros(Micros.of(last.decidedAt().plus(last.resetAfter()).minusMillis(100)));
        long before = remaining(limiter);
        spent.forEach(decision -> limiter.refund("alice", decision));
        assertThat(remaining(limiter)).isBetween(before, before + 1);
    }

    @Test
    void a_late_refund_of_a_bucket_returns_no_permits_of_others() {
        Policy bucket = leased("late", Limit.tokenBucket(3_000, 1_000, Duration.ofSeconds(1)));
        limits.limiter(bucket).tryAcquire(PermitRequest.of("alice").withPermits(255));
        awaitSettled();
        clock.advance(Duration.ofMillis(1));
        other.limiter(bucket).tryAcquire(PermitRequest.of("alice").withPermits(255));
        awaitSettled();
        limits.sweepLeases();
        clock.advance(LEASE.dividedBy(2));
        limits.sweepLeases();
        awaitSettled();
        // By now the bucket is full, because half of the first lease was returned. The decision of the second lease
        // still counted that half.
        clock.advance(Duration.ofMillis(600));
        limits.limiter(bucket).tryAcquire(PermitRequest.of("alice").withPermits(500));
        awaitSettled();
        clock.advance(Duration.ofMillis(1));
        long before = remaining(limits.limiter(bucket));
        other.sweepLeases();
        awaitSettled();
        assertThat(remaining(limits.limiter(bucket))).isEqualTo(before);
    }

    @Test
    void limiters_of_one_policy_spend_the_same_lease() {
        warmUp(limits.limiter(API));
        assertThat(limits.limiter(API).tryAcquire("alice").basis()).isEqualTo(Basis.LEASED);
        assertThat(limits.limiter(API).tryAcquire("bob").basis()).isEqualTo(Basis.COUNTED);
        assertThat(other.limiter(API).tryAcquire("alice").basis()).isEqualTo(Basis.COUNTED);
    }

    @Test
    void each_user_has_a_separate_lease_of_a_shared_limit() {
        Limiter limiter = limits.limiter(Policy.named("shared")
                .rule("everybody", Limit.fixedWindow(5_000, Duration.ofHours(1)))
                .rule("each", Limit.slidingWindow(1_000, MINUTE), Attributes.USER)
                .rule(Rule.of("tried", Limit.slidingWindow(900, MINUTE), Attributes.USER)
                        .inShadow())
                .leased(LEASE)
                .build());
        int requests = warmUp(limiter);
        Decision leased = limiter.tryAcquire("alice");
        assertThat(leased.rules()).extracting(rule -> rule.rule().name()).containsExactly("everybody", "each", "tried");
        assertThat(limiter.tryAcquire("bob").basis()).isEqualTo(Basis.COUNTED);
        limits.close();
        Decision counts = other.limiter(limiter.policy()).peek("alice");
        assertThat(counts.rules().get(0).remaining()).isEqualTo(5_000 - requests - 2);
        assertThat(counts.rules().get(1).remaining()).isEqualTo(1_000 - requests - 1);
    }

    @Test
    void leases_of_one_instance_leave_permits_for_others() {
        Limiter limiter = limits.limiter(leased("half", Limit.slidingWindow(100, MINUTE)));
        for (int i = 0; i < 40; i++) {
            assertThat(limiter.tryAcquire("alice").allowed()).isTrue();
            awaitSettled();
            assertThat(remaining(limiter)).isGreaterThanOrEqualTo(15);
        }
    }

    @Test
    void the_number_of_leased_ids_is_bounded() throws Exception {
        AsyncLimiter limiter = limits.limiter(API).async();
        List<CompletableFuture<Decision>> last = new ArrayList<>();
        for (int id = 0; id < PermitLeases.MAX_IDS + 100; id++) {
            last.add(limiter.tryAcquire(PermitRequest.of("user-" + id).withPermits(LeasedPermits.MIN_PERMITS))
                    .toCompletableFuture());
            if (id % 1000 == 0) {
                CompletableFuture.allOf(last.toArray(CompletableFuture[]::new)).get();
                awaitSettled();
            }
        }
        assertThat(limits.load().leasedIds()).isEqualTo(PermitLeases.MAX_IDS);
        awaitSettled();
        clock.advance(LEASE.multipliedBy(3));
        limits.sweepLeases();
        awaitSettled();
        limits.sweepLeases();
        clock.advance(LEASE.multipliedBy(3));
        limits.sweepLeases();
        assertThat(limits.load().leasedIds()).isZero();
    }

    @Test
    void long_ids_are_counted_in_redis_each_time() {
        Limiter limiter = limits.limiter(API);
        for (int i = 0; i < 50; i++) {
            assertThat(limiter.tryAcquire("x".repeat(200)).basis()).isEqualTo(Basis.COUNTED);
            awaitSettled();
        }
    }
}
