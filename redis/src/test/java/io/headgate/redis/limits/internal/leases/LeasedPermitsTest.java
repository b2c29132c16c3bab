package io.headgate.redis.limits.internal.leases;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.limits.internal.calls.MultiSlotCalls;
import io.headgate.redis.limits.internal.calls.PolicyCalls;
import io.headgate.redis.limits.internal.denials.DenialCache;
import io.headgate.redis.limits.internal.planner.Keys;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import io.headgate.redis.limits.internal.planner.Scripts;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Leases whose replies arrive at unexpected times. */
class LeasedPermitsTest {

    private static final long PERMITS = 100;
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Attributes ALICE = Attributes.of(Attributes.USER, "alice");
    private static final Policy POLICY = Policy.named("p")
            .rule("limit", Limit.slidingWindow(10_000, Duration.ofMinutes(1)), Attributes.USER)
            .leased(LEASE)
            .build();

    private static final long LEASE_MICROS = LEASE.toNanos() / 1000;

    private int calls;
    private final PolicyPlanner planner = new PolicyPlanner(
            POLICY, new Keys("hg"), new Scripts(false), Optional.empty(), Duration.ofMinutes(1), true);
    private final PermitLeases leases = new PermitLeases(
            calls(new Unanswered()),
            ImmediateEventExecutor.INSTANCE,
            (version, rules, attributes, permits) -> {},
            false);
    private final LeasedPermits.Source source = Objects.requireNonNull(leases.of(planner));
    private final LeasedPermits leased = new LeasedPermits(source, ALICE, LEASE_MICROS, 0);

    private static PolicyCalls calls(ScriptExecutor executor) {
        DenialCache denials = new DenialCache(0, () -> {});
        MultiSlotCalls multiSlot = new MultiSlotCalls(executor, (version, rules, attributes, permits) -> {}, denials);
        return new PolicyCalls(executor, multiSlot, denials);
    }

    /** Counts the calls, and answers none. */
    private final class Unanswered implements ScriptExecutor {

        @Override
        public <T> CompletableFuture<T> execute(ScriptCall<T> call) {
            calls++;
            return new CompletableFuture<>();
        }
    }

    private static Decision admitted(long permits) {
        return EngineDecisions.of(
                POLICY, 1, permits, EngineRuleDecision.allowed(POLICY.rules().get(0), 5_000, 60_000_000));
    }

    private void receive() {
        receive(0);
    }

    /** Receives a lease of {@link #PERMITS} that was requested at time 0. */
    private void receive(long answeredMicros) {
        leased.leased(0, admitted(PERMITS), answeredMicros);
    }

    @Test
    void no_lease_is_lost_when_more_arrive_than_were_requested() {
        receive();
        receive();
        receive();
        leased.end();
        assertThat(calls).isEqualTo(3);
    }

    @Test
    void a_lease_that_arrives_after_the_end_is_refunded() {
        leased.end();
        receive();
        assertThat(calls).isEqualTo(1);
        assertThat(leased.spend(1, 1)).isNull();
    }

    @Test
    void a_lease_that_arrives_after_a_reset_is_neither_spent_nor_refunded() {
        receive();
        leased.forget();
        receive();
        assertThat(calls).isZero();
        assertThat(leased.spend(1, 1)).isNull();
    }

    @Test
    void nothing_is_leased_after_a_reset() {
        leased.learn(admitted(1), PERMITS, 0);
        assertThat(calls).isEqualTo(1);
        LeasedPermits forgotten = new LeasedPermits(source, ALICE, LEASE_MICROS, 0);
        forgotten.forget();
        forgotten.learn(admitted(1), PERMITS, 0);
        assertThat(calls).isEqualTo(1);
    }

    @Test
    void a_failed_lease_is_retried_after_the_duration_of_a_lease() {
        long leaseMicros = LEASE.toNanos() / 1000;
        // The request failed, at time 5.
        leased.leased(0, null, 5);
        leased.learn(admitted(1), PERMITS, 5 + leaseMicros - 1);
        assertThat(calls).isZero();
        leased.learn(admitted(1), PERMITS, 5 + leaseMicros);
        assertThat(calls).isEqualTo(1);
    }

    @Test
    void a_lease_expires_a_thousandth_early_counted_from_its_request() {
        receive(400_000);
        assertThat(leased.spend(1, 998_998)).isNotNull();
        assertThat(leased.spend(1, 998_999)).isNull();
    }

    @Test
    void the_next_lease_is_requested_when_half_is_spent_or_it_expires_soon() {
        receive();
        assertThat(leased.spend(PERMITS / 2 - 1, 1)).isNotNull();
        assertThat(calls).isZero();
        assertThat(leased.spend(1, 1)).isNotNull();
        assertThat(calls).isEqualTo(1);
        LeasedPermits slow = new LeasedPermits(source, ALICE, LEASE_MICROS, 0);
        slow.leased(0, admitted(PERMITS), 0);
        // Until a quarter of the lease before it expires.
        assertThat(slow.spend(1, 748_998)).isNotNull();
        assertThat(calls).isEqualTo(1);
        assertThat(slow.spend(1, 748_999)).isNotNull();
        assertThat(calls).isEqualTo(2);
    }

    @Test
    void unspent_permits_of_a_lease_are_refunded_when_the_next_lease_is_spent() {
        receive();
        assertThat(leased.spend(PERMITS - 2, 1)).isNotNull();
        receive();
        assertThat(calls).isEqualTo(1);
        assertThat(leased.spend(3, 1)).isNotNull();
        assertThat(calls).isEqualTo(2);
        leased.end();
        assertThat(calls).isEqualTo(3);
    }

    /** Another thread obtained the {@code LeasedPermits} before its removal. */
    @Test
    void a_lease_that_arrives_when_its_ids_are_idle_is_refunded() {
        assertThat(leased.isIdleAfterSweep(2 * LEASE_MICROS - 1)).isFalse();
        assertThat(leased.isIdleAfterSweep(2 * LEASE_MICROS)).isTrue();
        receive();
        assertThat(calls).isEqualTo(1);
    }

    @Test
    void ids_with_a_requested_lease_are_not_idle() {
        leased.learn(admitted(PERMITS), PERMITS, 0);
        assertThat(calls).isEqualTo(1);
        assertThat(leased.isIdleAfterSweep(10 * LEASE_MICROS)).isFalse();
        leased.leased(0, null, 10 * LEASE_MICROS);
        assertThat(leased.isIdleAfterSweep(10 * LEASE_MICROS)).isTrue();
    }
}
