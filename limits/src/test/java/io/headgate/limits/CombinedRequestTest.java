package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several policies decide one request in memory. */
class CombinedRequestTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final AtomicLong clock = new AtomicLong(1_800_000_000_000_000L);
    private final InMemoryLimitEngine limits =
            InMemoryLimitEngine.builder().time(clock::get).build();
    private final Limiter perUser = limits.limiter("per-user", Limit.slidingWindow(5, MINUTE));
    private final Limiter perAddress = limits.limiter("per-address", Limit.slidingWindow(2, MINUTE));
    private final CombinedRequest request = CombinedRequest.of(perUser, "alice").and(perAddress, "192.0.2.1");

    @AfterEach
    void close() {
        limits.close();
    }

    @Test
    void all_policies_are_charged_if_all_allow_the_request() {
        CombinedDecision decision = limits.tryAcquire(request);
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.denied()).isFalse();
        assertThat(decision.decisions()).extracting(Decision::policyName).containsExactly("per-user", "per-address");
        assertThat(decision.decisions()).extracting(Decision::charged).containsExactly(1L, 1L);
        assertThat(decision.decisive()).isSameAs(decision.decisions().get(1));
        assertThat(decision.retryAfter()).isEmpty();
        assertThat(decision).asString().startsWith("allowed [");
        assertThat(perUser.peek("alice").remaining()).isEqualTo(4);
        assertThat(perAddress.peek("192.0.2.1").remaining()).isEqualTo(1);
    }

    @Test
    void no_policy_is_charged_if_any_denies_the_request_whatever_their_order() {
        limits.tryAcquire(request);
        limits.tryAcquire(request);
        for (CombinedRequest denied :
                List.of(request, CombinedRequest.of(perAddress, "192.0.2.1").and(perUser, "alice"))) {
            CombinedDecision decision = limits.tryAcquire(denied);
            assertThat(decision.denied()).isTrue();
            assertThat(decision.decisive().policyName()).isEqualTo("per-address");
            assertThat(decision.decisions()).extracting(Decision::charged).containsExactly(0L, 0L);
            assertThat(decision.retryAfter()).contains(MINUTE);
            assertThat(decision).asString().startsWith("denied by policy per-address [");
            assertThat(perUser.peek("alice").remaining()).isEqualTo(3);
        }
    }

    @Test
    void a_policy_that_would_have_allowed_a_denied_request_reports_its_own_state() {
        perAddress.tryAcquire(PermitRequest.of("192.0.2.1").withPermits(2));
        CombinedDecision decision = limits.tryAcquire(request);
        Decision ofUser = decision.decisions().get(0);
        assertThat(ofUser).isEqualTo(perUser.peek("alice"));
        assertThat(ofUser.allowed()).isTrue();
        assertThat(ofUser.remaining()).isEqualTo(5);
        assertThat(perUser.refund("alice", ofUser)).isZero();
    }

    @Test
    void permits_and_attributes_differ_between_the_parts() {
        Limiter bytes = limits.limiter(Policy.named("bytes")
                .rule("global", Limit.tokenBucket(1000, 1000, MINUTE))
                .rule("per-user", Limit.tokenBucket(100, 100, MINUTE), "user")
                .build());
        CombinedDecision decision = limits.tryAcquire(CombinedRequest.of(perUser, "alice")
                .and(bytes, PermitRequest.of(Attributes.of("user", "alice")).withPermits(60)));
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.decisions()).extracting(Decision::charged).containsExactly(1L, 60L);
        assertThat(perUser.peek("alice").remaining()).isEqualTo(4);
        assertThat(bytes.peek("alice").remaining()).isEqualTo(40);
    }

    @Test
    void the_same_policy_decides_for_several_ids() {
        limits.tryAcquire(CombinedRequest.of(perAddress, "192.0.2.1").and(perAddress, "192.0.2.2"));
        perAddress.tryAcquire("192.0.2.2");
        assertThat(limits.tryAcquire(CombinedRequest.of(perAddress, "192.0.2.1").and(perAddress, "192.0.2.2"))
                        .denied())
                .isTrue();
        assertThat(perAddress.peek("192.0.2.1").remaining()).isEqualTo(1);
    }

    @Test
    void a_policy_in_shadow_mode_is_not_decisive_beside_one_that_can_deny() {
        Limiter trial = limits.limiter(Policy.named("trial")
                .rule(Rule.of("rule", Limit.slidingWindow(1, MINUTE), Attributes.KEY)
                        .inShadow())
                .build());
        CombinedDecision decision =
                limits.tryAcquire(CombinedRequest.of(trial, "alice").and(perUser, "alice"));
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.decisions().get(0).remaining()).isZero();
        assertThat(decision.decisive().policyName()).isEqualTo("per-user");
    }

    @Test
    void the_denial_with_the_longest_wait_is_decisive() {
        Limiter hourly = limits.limiter("hourly", Limit.slidingWindow(1, Duration.ofHours(1)));
        perAddress.tryAcquire(PermitRequest.of("192.0.2.1").withPermits(2));
        hourly.tryAcquire("alice");
        CombinedDecision decision = limits.tryAcquire(request.and(hourly, "alice"));
        assertThat(decision.decisive().policyName()).isEqualTo("hourly");
        assertThat(decision.retryAfter()).contains(Duration.ofHours(1));
        assertThat(decision.retryable()).isTrue();
    }

    @Test
    void a_request_for_more_than_a_limit_is_not_retryable() {
        perUser.tryAcquire(PermitRequest.of("alice").withPermits(5));
        CombinedDecision decision = limits.tryAcquire(CombinedRequest.of(perUser, "alice")
                .and(perAddress, PermitRequest.of("192.0.2.1").withPermits(3)));
        assertThat(decision.decisive().policyName()).isEqualTo("per-address");
        assertThat(decision.retryable()).isFalse();
        assertThat(decision.retryAfter()).isEmpty();
    }

    @Test
    void a_rule_that_counts_attempts_is_charged_when_another_policy_denies() {
        Limiter logins = limits.limiter(Policy.named("logins")
                .rule(Rule.of("per-user", Limit.slidingWindow(1, Duration.ofMinutes(10)), "user")
                        .countingAttempts())
                .build());
        perAddress.tryAcquire(PermitRequest.of("192.0.2.1").withPermits(2));
        CombinedDecision decision =
                limits.tryAcquire(CombinedRequest.of(logins, "alice").and(perAddress, "192.0.2.1"));
        Decision ofLogins = decision.decisions().get(0);
        assertThat(ofLogins.allowed()).isTrue();
        assertThat(ofLogins.deniedBy()).isEmpty();
        assertThat(ofLogins.charged()).isZero();
        assertThat(ofLogins.remaining()).isZero();
        assertThat(ofLogins).asString().startsWith("allowed at");
        assertThat(decision.decisive().policyName()).isEqualTo("per-address");
        // The attempt now makes the same request wait longer than the denying policy does.
        assertThat(decision.retryAfter()).contains(Duration.ofMinutes(10));
        assertThat(logins.tryAcquire("alice").denied()).isTrue();
    }

    @Test
    void a_policy_in_shadow_mode_does_not_deny_the_request() {
        Limiter shadow = limits.limiter(Policy.named("trial")
                .rule(Rule.of("per-user", Limit.slidingWindow(1, MINUTE), "user")
                        .inShadow())
                .build());
        CombinedRequest both = CombinedRequest.of(perUser, "alice").and(shadow, "alice");
        limits.tryAcquire(both);
        CombinedDecision decision = limits.tryAcquire(both);
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.decisions().get(1).deniedInShadow()).containsExactly("per-user");
    }

    @Test
    void an_allowed_request_has_the_delay_of_a_shaper_and_a_denied_one_has_none() {
        Limiter even = limits.limiter("even", Limit.leakyBucket(3, 1, MINUTE).shaper());
        even.tryAcquire("alice");
        CombinedRequest both = CombinedRequest.of(perUser, "alice").and(even, "alice");
        assertThat(limits.tryAcquire(both).delay()).isEqualTo(MINUTE);
        perUser.tryAcquire(PermitRequest.of("alice").withPermits(4));
        assertThat(limits.tryAcquire(both).delay()).isZero();
    }

    @Test
    void a_combined_decision_and_each_of_its_parts_is_refunded_once() {
        CombinedDecision whole = limits.tryAcquire(request);
        assertThat(limits.refund(request, whole)).isEqualTo(1);
        assertThat(limits.refund(request, whole)).isZero();
        CombinedDecision parts = limits.tryAcquire(request);
        assertThat(perAddress.refund("192.0.2.1", parts.decisions().get(1))).isEqualTo(1);
        assertThat(perUser.peek("alice").remaining()).isEqualTo(4);
        assertThat(limits.refund(request, parts)).isEqualTo(1);
        assertThat(perUser.peek("alice").remaining()).isEqualTo(5);
        assertThat(perAddress.peek("192.0.2.1").remaining()).isEqualTo(2);
        assertThat(limits.refund(
                        request,
                        limits.tryAcquire(CombinedRequest.of(
                                        perUser, PermitRequest.of("alice").withPermits(9))
                                .and(perAddress, "192.0.2.1"))))
                .isZero();
    }

    @Test
    void a_decision_of_other_policies_is_not_refunded() {
        CombinedDecision decision = limits.tryAcquire(request);
        CombinedRequest other = CombinedRequest.of(perUser, "alice").and(perUser, "bob");
        assertThatThrownBy(() -> limits.refund(other, decision))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a decision of the policies [per-user, per-address] can't be refunded for a request to the "
                        + "policies [per-user, per-user]; nothing was refunded");
        assertThat(perUser.peek("alice").remaining()).isEqualTo(4);
    }

    @Test
    void listeners_are_notified_once_for_each_policy() {
        List<String> received = new ArrayList<>();
        limits.addListener(new LimitListener() {
            @Override
            public void onDecision(
                    Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                received.add(policy.name() + " " + attributes.asMap().get("key") + " " + permits + " "
                        + decision.allowed() + " " + decision.charged());
            }
        });
        perAddress.tryAcquire(PermitRequest.of("192.0.2.1").withPermits(2));
        received.clear();
        limits.tryAcquire(request);
        assertThat(received).containsExactly("per-user alice 1 true 0", "per-address 192.0.2.1 1 false 0");
    }

    @Test
    void an_updated_limiter_decides_by_its_new_policy() {
        perAddress.update(Policy.of("per-address", Limit.slidingWindow(3, MINUTE), Attributes.KEY));
        perAddress.tryAcquire(PermitRequest.of("192.0.2.1").withPermits(2));
        assertThat(limits.tryAcquire(request).allowed()).isTrue();
    }

    @Test
    void each_policy_decides_by_the_override_that_applies_to_the_request() {
        Limiter calls = limits.limiter(Policy.named("calls")
                .rule("per-user", Limit.slidingWindow(1, MINUTE), "user")
                .override("per-user", Attributes.of("user", "alice"), Limit.slidingWindow(3, MINUTE))
                .build());
        List<Policy> reported = new ArrayList<>();
        limits.addListener(new LimitListener() {
            @Override
            public void onDecision(
                    Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                reported.add(policy);
            }
        });
        CombinedDecision decision =
                limits.tryAcquire(CombinedRequest.of(perUser, "alice").and(calls, "alice"));
        assertThat(decision.decisions()).extracting(Decision::limit).containsExactly(5L, 3L);
        assertThat(limits.tryAcquire(CombinedRequest.of(perUser, "bob").and(calls, "bob"))
                        .decisive()
                        .limit())
                .isEqualTo(1);
        // Listeners receive the policy itself, not the variant with the limit of the override.
        assertThat(reported).containsExactly(perUser.policy(), calls.policy(), perUser.policy(), calls.policy());
    }

    @Test
    void errors_are_reported_before_anything_is_charged() {
        Limiter wide = limits.limiter(Policy.named("wide")
                .rule("a", Limit.slidingWindow(9, MINUTE))
                .rule("b", Limit.slidingWindow(9, MINUTE), "user")
                .build());
        Attributes bob = Attributes.of("user", "bob");
        assertRejected(
                request.and(perUser, "alice"), "parts 1 and 3 of a combined request are charged to the same count");
        assertRejected(
                request.and(wide, "alice").and(wide, "bob"),
                "parts 3 and 4 of a combined request are charged to the same count, rule a of policy wide for []; "
                        + "request all permits of a policy and its ids in one part");
        assertRejected(
                request.and(wide, PermitRequest.of(Attributes.of("ip", "192.0.2.1"))),
                "rule b counts by \"user\", which the request does not have");
        assertRejected(
                request.and(limits.limiter("third", Limit.slidingWindow(1, MINUTE)), PermitRequest.of(bob)),
                "rule limit counts by \"key\", which the request does not have");
        try (InMemoryLimitEngine others = InMemoryLimitEngine.create()) {
            assertRejected(
                    request.and(others.limiter("other", Limit.slidingWindow(1, MINUTE)), "alice"),
                    "the limiter of policy other must be one that this engine created");
        }
        CombinedRequest many = request;
        for (int i = 0; i < 8; i++) {
            many = many.and(
                    limits.limiter(Policy.named("wide-" + i)
                            .rule("a", Limit.slidingWindow(9, MINUTE))
                            .rule("b", Limit.slidingWindow(9, MINUTE), "user")
                            .build()),
                    "alice");
        }
        assertRejected(many, "the policies of a combined request must have at most 16 rules together, but per-user, ");
        assertThat(perUser.peek("alice").remaining()).isEqualTo(5);
        assertThat(perAddress.peek("192.0.2.1").remaining()).isEqualTo(2);
    }

    @Test
    @Timeout(20)
    void parts_with_different_dimensions_that_share_a_counter_are_rejected() {
        Limit limit = Limit.slidingWindow(9, MINUTE);
        Limiter one = limits.limiter(
                Policy.named("calls").rule("limit", limit, "user").build());
        Limiter two = limits.limiter(
                Policy.named("calls").rule("limit", limit, "user", "route").build());
        // The only id of the first part looks like both ids of the second one.
        CombinedRequest same = CombinedRequest.of(one, "1:a1:b")
                .and(two, PermitRequest.of(Attributes.of("user", "a").with("route", "b")));
        assertRejected(
                same, "parts 1 and 2 of a combined request are charged to the same count, rule limit of policy calls");
        assertThat(one.peek("1:a1:b").remaining()).isEqualTo(9);
    }

    @Test
    void nothing_is_refunded_if_any_part_is_invalid() {
        Limiter bytes = limits.limiter(Policy.named("bytes")
                .rule("limit", Limit.slidingWindow(9, MINUTE), "user")
                .build());
        CombinedRequest both =
                CombinedRequest.of(perUser, "alice").and(bytes, PermitRequest.of(Attributes.of("user", "alice")));
        CombinedDecision decision = limits.tryAcquire(both);
        CombinedRequest other =
                CombinedRequest.of(perUser, "alice").and(bytes, PermitRequest.of(Attributes.of("ip", "192.0.2.1")));
        assertThatThrownBy(() -> limits.refund(other, decision))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rule limit counts by \"user\"");
        assertThat(perUser.peek("alice").remaining()).isEqualTo(4);
        Decision foreign = (Decision) Proxy.newProxyInstance(
                Decision.class.getClassLoader(),
                new Class<?>[] {Decision.class},
                (proxy, method, arguments) -> method.invoke(decision.decisions().get(1), arguments));
        CombinedDecision mixed =
                new CombinedDecision(List.of(decision.decisions().get(0), foreign));
        assertThatThrownBy(() -> limits.refund(both, mixed))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("decision must be one that a limiter returned");
        assertThat(perUser.peek("alice").remaining()).isEqualTo(4);
        assertThat(limits.refund(both, decision)).isEqualTo(1);
    }

    private void assertRejected(CombinedRequest rejected, String message) {
        assertThatThrownBy(() -> limits.tryAcquire(rejected))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
        assertThatThrownBy(() -> limits.tryAcquireAsync(rejected))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void a_request_has_1_to_16_parts_without_request_ids() {
        CombinedRequest.Part part = new CombinedRequest.Part(perUser, PermitRequest.of("alice"));
        assertThatThrownBy(() -> new CombinedRequest(List.of()))
                .hasMessage("number of parts of a combined request must be from 1 to 16, was 0");
        assertThatThrownBy(() -> new CombinedRequest(Collections.nCopies(17, part)))
                .hasMessage("number of parts of a combined request must be from 1 to 16, was 17");
        PermitRequest withId = PermitRequest.of("alice").withId(RequestId.of("r1"));
        assertThatThrownBy(() -> request.and(perUser, withId))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("a combined request accepts no request id, but was given \"r1\"");
        assertThatThrownBy(() -> new CombinedDecision(List.of()))
                .hasMessage("a combined decision must have at least one decision, but has none");
    }

    @Test
    void concurrent_requests_do_not_exceed_the_limits() {
        Limiter first = limits.limiter("first", Limit.slidingWindow(3000, MINUTE));
        Limiter second = limits.limiter("second", Limit.slidingWindow(2000, MINUTE));
        AtomicLong admitted = new AtomicLong();
        InThreads.run(8, thread -> {
            CombinedRequest both = CombinedRequest.of(first, "a").and(second, "a");
            for (int i = 0; i < 2000; i++) {
                if (limits.tryAcquire(both).allowed()) {
                    admitted.incrementAndGet();
                }
            }
        });
        assertThat(admitted).hasValue(2000);
        assertThat(first.peek("a").remaining()).isEqualTo(1000);
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void requests_that_name_the_same_policies_in_opposite_orders_do_not_deadlock() {
        List<CombinedRequest.Part> parts = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            Limiter limiter = limits.limiter("p" + i, Limit.fixedWindow(1_000_000, MINUTE));
            parts.add(new CombinedRequest.Part(limiter, PermitRequest.of("a")));
        }
        List<CombinedRequest.Part> reversed = new ArrayList<>(parts);
        Collections.reverse(reversed);
        InThreads.run(8, thread -> {
            CombinedRequest all = new CombinedRequest(thread % 2 == 0 ? parts : reversed);
            for (int i = 0; i < 10_000; i++) {
                assertThat(limits.tryAcquire(all).allowed()).isTrue();
            }
        });
    }
}
