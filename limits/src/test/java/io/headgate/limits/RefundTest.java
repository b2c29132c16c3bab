package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.internal.decision.EngineDecision;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests refunds for which the engine in memory and the one on Redis may differ, or for which a test sets the clock. */
class RefundTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final AtomicLong nowMicros = new AtomicLong();
    private final LimitEngine limits =
            InMemoryLimitEngine.builder().time(nowMicros::get).build();

    /** All kinds of limits except the calendar window, whose shortest window is a day. */
    static Stream<Limit> limits_of_all_kinds() {
        return Stream.of(
                Limit.fixedWindow(10, MINUTE),
                Limit.fixedWindow(10, MINUTE).fromFirstRequest(),
                Limit.slidingWindow(10, MINUTE),
                Limit.slidingCounter(10, MINUTE),
                Limit.tokenBucket(10, 10, MINUTE),
                Limit.leakyBucket(10, 10, MINUTE));
    }

    @Test
    void a_refund_that_lacks_a_dimension_refunds_no_rule() {
        Limiter limiter = limits.limiter(Policy.named("p")
                .rule("per-user", Limit.slidingWindow(10, MINUTE), Attributes.USER)
                .rule("per-ip", Limit.slidingWindow(10, MINUTE), Attributes.IP)
                .build());
        Attributes alice = Attributes.of(Attributes.USER, "alice");
        Attributes aliceAtHome = alice.with(Attributes.IP, "192.0.2.7");
        Decision decision = limiter.tryAcquire(PermitRequest.of(aliceAtHome).withPermits(4));
        assertThatThrownBy(() -> limiter.refund(alice, decision)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> limiter.refundOldest(PermitRequest.of(alice).withPermits(4)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(limiter.peek(PermitRequest.of(aliceAtHome)).rules()).allMatch(rule -> rule.remaining() == 6);
    }

    /** Both policies have a rule of the same name, as every policy with a single rule does. */
    @ParameterizedTest
    @MethodSource("limits_of_all_kinds")
    void a_decision_of_another_policy_is_rejected_and_refunds_nothing(Limit limit) {
        Limiter sms = limits.limiter("sms", limit);
        sms.tryAcquire(PermitRequest.of("alice").withPermits(3));
        Decision login = limits.limiter("logins", limit)
                .tryAcquire(PermitRequest.of("alice").withPermits(3));
        assertThat(login.policyName()).isEqualTo("logins");
        assertThatThrownBy(() -> sms.refund("alice", login))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("logins")
                .hasMessageContaining("sms");
        assertThatThrownBy(() -> sms.async().refund("alice", login)).isInstanceOf(IllegalArgumentException.class);
        assertThat(sms.peek("alice").remaining()).isEqualTo(7);
    }

    /** All requests of a batch are decided at the same instant. */
    @ParameterizedTest
    @MethodSource("limits_of_all_kinds")
    void decisions_of_the_same_microsecond_each_refund_their_own_permits_once(Limit limit) {
        Limiter limiter = limits.limiter("p", limit);
        Decision first = limiter.tryAcquire(PermitRequest.of("alice").withPermits(2));
        Decision second = limiter.tryAcquire(PermitRequest.of("alice").withPermits(2));
        Decision third = limiter.tryAcquire(PermitRequest.of("alice").withPermits(2));
        assertThat(first.decidedAt()).isEqualTo(third.decidedAt());
        assertThat(limiter.refund("alice", first)).isEqualTo(2);
        assertThat(limiter.refund("alice", first)).isZero();
        assertThat(limits.limiter("p", limit).refund("alice", first)).isZero();
        assertThat(limiter.peek("alice").remaining()).isEqualTo(6);
        assertThat(limiter.refund("alice", second)).isEqualTo(2);
        assertThat(limiter.refund("alice", second)).isZero();
        assertThat(limiter.refund("alice", third)).isEqualTo(2);
        assertThat(limiter.peek("alice").remaining()).isEqualTo(10);
    }

    @Test
    void a_decision_that_is_repeated_under_its_request_id_is_refunded_once() {
        Limiter limiter = limits.limiter("p", Limit.fixedWindow(10, MINUTE));
        RequestId id = RequestId.of("order-4711");
        Decision first =
                limiter.tryAcquire(PermitRequest.of("alice").withPermits(2).withId(id));
        limiter.tryAcquire(PermitRequest.of("alice").withPermits(2));
        assertThat(limiter.refund(
                        "alice",
                        limiter.tryAcquire(
                                PermitRequest.of("alice").withPermits(2).withId(id))))
                .isEqualTo(2);
        assertThat(limiter.refund("alice", first)).isZero();
        assertThat(limiter.peek("alice").remaining()).isEqualTo(8);
    }

    @Test
    void a_decision_is_refunded_until_its_own_reset_after_even_if_the_window_is_longer_later() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(10, MINUTE));
        Decision early = limiter.tryAcquire(PermitRequest.of("alice").withPermits(2));
        Decision late = limiter.tryAcquire(PermitRequest.of("alice").withPermits(2));
        limiter.update(Policy.of("p", Limit.slidingWindow(10, Duration.ofHours(1)), Attributes.KEY));
        nowMicros.set(59_999_999);
        assertThat(limiter.refund("alice", early)).isEqualTo(2);
        nowMicros.set(60_000_000);
        assertThat(limiter.refund("alice", late)).isZero();
        assertThat(limiter.peek("alice").remaining()).isEqualTo(8);
    }

    @Test
    void a_charge_id_is_unique_and_stable() {
        Limiter limiter = limits.limiter("p", Limit.fixedWindow(10, MINUTE));
        EngineDecision first = EngineDecision.require(limiter.tryAcquire("alice"));
        EngineDecision second = EngineDecision.require(limiter.tryAcquire("alice"));
        assertThat(first.chargeId()).isEqualTo(first.chargeId()).isNotEqualTo(second.chargeId());
        assertThat(second.withChargeId(first.chargeId()).chargeId()).isEqualTo(first.chargeId());
        assertThat(first.chargedOnceAs(RequestId.of("a")).chargeId())
                .isEqualTo(first.chargedOnceAs(RequestId.of("a")).chargeId())
                .isNotEqualTo(first.chargedOnceAs(RequestId.of("b")).chargeId());
        assertThat(first.withChargeId(7)).isEqualTo(first).hasSameHashCodeAs(first);
        assertThatThrownBy(() -> first.withChargeId(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("chargeId must not be 0");
    }

    @Test
    void only_a_decision_of_an_engine_is_refunded() {
        Limiter limiter = limits.limiter("p", Limit.fixedWindow(10, MINUTE));
        Decision decision = limiter.tryAcquire("alice");
        Decision other = (Decision) Proxy.newProxyInstance(
                Decision.class.getClassLoader(),
                new Class<?>[] {Decision.class},
                (proxy, method, arguments) -> method.invoke(decision, arguments));
        assertThatThrownBy(() -> limiter.refund("alice", other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("decision must be one that a limiter returned, but is a ")
                .hasMessageContaining("Proxy");
        assertThatThrownBy(() -> limiter.async().refund("alice", other)).isInstanceOf(IllegalArgumentException.class);
        assertThat(limiter.refund("alice", decision)).isEqualTo(1);
    }

    @Test
    void a_closed_engine_rejects_every_refund_of_a_decision() {
        Limiter limiter = limits.limiter("p", Limit.fixedWindow(10, MINUTE));
        Decision refunded = limiter.tryAcquire(PermitRequest.of("alice").withPermits(2));
        limiter.refund("alice", refunded);
        Decision denied = limiter.tryAcquire(PermitRequest.of("alice").withPermits(11));
        limits.close();
        assertThatThrownBy(() -> limiter.refund("alice", refunded)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> limiter.refund("alice", denied)).isInstanceOf(IllegalStateException.class);
    }

    /** A policy may change while a request is in flight. */
    @Test
    void a_rule_that_was_removed_or_has_another_kind_of_limit_is_not_refunded() {
        Limiter limiter = limits.limiter("p", Limit.slidingWindow(10, MINUTE));
        Decision before = limiter.tryAcquire(PermitRequest.of("alice").withPermits(4));
        limiter.update(Policy.of("p", Limit.fixedWindow(10, MINUTE), Attributes.KEY));
        limiter.tryAcquire(PermitRequest.of("alice").withPermits(4));
        assertThat(limiter.refund("alice", before)).isZero();
        assertThat(limiter.peek("alice").remaining()).isEqualTo(6);

        limiter.update(Policy.named("p")
                .rule("other", Limit.slidingWindow(10, MINUTE), Attributes.KEY)
                .build());
        assertThat(limiter.refund("alice", before)).isZero();
        assertThat(limiter.async().refund("alice", before).toCompletableFuture())
                .isCompletedWithValue(0L);

        limiter.update(Policy.of("p", Limit.slidingWindow(10, MINUTE), Attributes.KEY));
        assertThat(limiter.refund("alice", before)).isEqualTo(4);
    }

    @ParameterizedTest
    @MethodSource("limits_of_all_kinds")
    void a_charge_at_time_0_is_not_mistaken_for_the_oldest_permits(Limit limit) {
        Limiter limiter = limits.limiter("p", limit);
        Decision atZero = limiter.tryAcquire(PermitRequest.of("alice").withPermits(4));
        nowMicros.set(Duration.ofMinutes(3).toMillis() * 1000);
        limiter.tryAcquire(PermitRequest.of("alice").withPermits(5));
        nowMicros.incrementAndGet();
        assertThat(limiter.refund("alice", atZero)).isZero();
        assertThat(limiter.peek("alice").remaining()).isEqualTo(5);
    }

    @ParameterizedTest
    @MethodSource("limits_of_all_kinds")
    void a_charge_at_time_0_is_refunded_while_it_counts(Limit limit) {
        Limiter limiter = limits.limiter("p", limit);
        Decision atZero = limiter.tryAcquire(PermitRequest.of("alice").withPermits(4));
        assertThat(limiter.refund("alice", atZero)).isEqualTo(4);
        assertThat(limiter.peek("alice").remaining()).isEqualTo(10);
    }
}
