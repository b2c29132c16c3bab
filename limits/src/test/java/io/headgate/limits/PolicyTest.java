package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PolicyTest {

    private static final Policy API = Policy.named("api")
            .rule("global", Limit.slidingWindow(4, Duration.ofMinutes(1)))
            .rule("per-user", Limit.slidingWindow(2, Duration.ofHours(1)), Attributes.USER)
            .rule("per-ip", Limit.slidingWindow(3, Duration.ofMinutes(10)), Attributes.IP)
            .build();

    private final List<Decision> reported = new ArrayList<>();
    private final InMemoryLimitEngine limits = InMemoryLimitEngine.builder()
            .time(() -> 1_800_000_000_000_000L)
            .listener(new LimitListener() {
                @Override
                public void onDecision(
                        Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                    reported.add(decision);
                }
            })
            .listener(new LimitListener() {
                @Override
                public void onDecision(
                        Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                    throw new IllegalStateException("a listener that fails");
                }
            })
            .build();
    private final Limiter limiter = limits.limiter(API);

    private static Attributes from(String user, String ip) {
        return Attributes.of("user", user).with("ip", ip);
    }

    @Test
    void a_denied_request_charges_no_rule() {
        limiter.tryAcquire(PermitRequest.of(from("alice", "a")).withPermits(2));
        assertThat(limiter.tryAcquire(PermitRequest.of(from("alice", "b"))).deniedBy())
                .contains("per-user");
        Decision left = limiter.peek(PermitRequest.of(from("bob", "b")));
        assertThat(left.rules()).extracting(RuleDecision::remaining).containsExactly(2L, 2L, 3L);
    }

    @Test
    void the_rule_with_the_longest_wait_is_reported_as_the_denying_one() {
        limiter.tryAcquire(PermitRequest.of(from("alice", "a")).withPermits(2));
        limiter.tryAcquire(PermitRequest.of(from("bob", "b")).withPermits(2));
        Decision decision = limiter.tryAcquire(PermitRequest.of(from("alice", "c")));
        assertThat(decision.deniedBy()).contains("per-user");
        assertThat(decision.retryAfter()).contains(Duration.ofHours(1));
        assertThat(decision.rules()).extracting(RuleDecision::allowed).containsExactly(false, false, true);
    }

    @Test
    void an_allowed_decision_reports_the_rule_with_the_fewest_remaining_permits() {
        Decision decision = limiter.tryAcquire(PermitRequest.of(from("alice", "a")));
        assertThat(decision.decisive().orElseThrow().rule().name()).isEqualTo("per-user");
        assertThat(decision.remaining()).isEqualTo(1);
    }

    @Test
    void a_peek_charges_nothing_and_a_reset_resets_one_rule() {
        limiter.tryAcquire(PermitRequest.of(from("alice", "a")).withPermits(2));
        assertThat(limiter.peek(PermitRequest.of(from("alice", "a"))).allowed()).isFalse();
        assertThat(limiter.resetRule("per-user", Attributes.of("user", "alice")))
                .isTrue();
        assertThat(limiter.resetRule("per-user", Attributes.of("user", "alice")))
                .isFalse();
        assertThat(limiter.peek(PermitRequest.of(from("alice", "a"))).allowed()).isTrue();
        assertThat(limiter.peek(PermitRequest.of(from("alice", "a")))
                        .rules()
                        .get(0)
                        .remaining())
                .isEqualTo(2);
    }

    @Test
    void listeners_receive_requests_but_no_peeks_and_their_exceptions_reach_no_caller() {
        limiter.tryAcquire(PermitRequest.of(from("alice", "a")).withPermits(2));
        limiter.tryAcquire(PermitRequest.of(from("alice", "a")));
        limiter.peek(PermitRequest.of(from("alice", "a")));
        assertThat(reported).extracting(Decision::allowed).containsExactly(true, false);
    }

    @Test
    void a_missing_or_empty_dimension_is_an_error_and_charges_nothing() {
        assertThatThrownBy(() -> limiter.tryAcquire(PermitRequest.of(Attributes.of("user", "alice"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("rule per-ip counts by \"ip\", which the request does not have; it has [user]");
        assertThatThrownBy(() -> limiter.tryAcquire(PermitRequest.of(from("alice", ""))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(limiter.peek(PermitRequest.of(from("alice", "a"))).rules())
                .extracting(RuleDecision::remaining)
                .containsExactly(4L, 2L, 3L);
    }

    @Test
    void a_single_id_is_accepted_only_by_a_policy_with_one_dimension() {
        assertThatThrownBy(() -> limiter.tryAcquire("alice"))
                .hasMessage(
                        "policy api counts by [user, ip], so a single id is not enough; pass Attributes with all of them");
        Limiter everybody = limits.limiter(Policy.of("everybody", Limit.fixedWindow(1, Duration.ofMinutes(1))));
        assertThatThrownBy(() -> everybody.tryAcquire("alice"))
                .hasMessage("policy everybody has no dimensions, so it takes no id; pass PermitRequest.global() or"
                        + " Attributes.none()");
        assertThatThrownBy(() -> everybody.reset("alice")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_rule_has_a_single_id_only_with_one_dimension() {
        Limit limit = Limit.fixedWindow(2, Duration.ofMinutes(1));
        assertThat(Attributes.of("user", "alice").idOf(Rule.of("r", limit, "user")))
                .isEqualTo("alice");
        assertThatThrownBy(() -> from("alice", "a").idOf(Rule.of("r", limit, "user", "ip")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("rule r counts by [user, ip], not by one dimension");
        assertThatThrownBy(() -> from("alice", "a").idOf(Rule.of("r", limit)))
                .hasMessage("rule r counts by [], not by one dimension");
    }

    @Test
    void a_request_without_attributes_is_accepted_only_without_dimensions() {
        Limiter everybody = limits.limiter(Policy.of("everybody", Limit.fixedWindow(2, Duration.ofMinutes(1))));
        assertThat(everybody.peek(PermitRequest.global()).remaining()).isEqualTo(2);
        assertThat(everybody.tryAcquire(PermitRequest.global()).remaining()).isEqualTo(1);
        assertThatThrownBy(() -> limiter.tryAcquire(PermitRequest.global()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("rule per-user counts by \"user\", which the request does not have; it has []");
    }

    @Test
    void a_reset_of_an_id_resets_every_rule_with_dimensions_but_no_global_one() {
        Limiter both = limits.limiter(Policy.named("both")
                .rule("global", Limit.slidingWindow(9, Duration.ofMinutes(1)))
                .rule("short", Limit.slidingWindow(3, Duration.ofMinutes(1)), Attributes.USER)
                .rule("long", Limit.slidingWindow(5, Duration.ofHours(1)), Attributes.USER)
                .build());
        both.tryAcquire(PermitRequest.of("alice").withPermits(3));
        both.tryAcquire(PermitRequest.of("bob").withPermits(2));
        assertThat(both.peek(PermitRequest.of("alice").withPermits(2)).denied()).isTrue();
        assertThat(both.reset("alice")).isTrue();
        assertThat(both.reset("alice")).isFalse();
        assertThat(both.peek("alice").rules())
                .extracting(RuleDecision::remaining)
                .containsExactly(4L, 3L, 5L);
        assertThat(both.async().reset("bob").toCompletableFuture()).isCompletedWithValue(true);
        assertThat(both.peek("bob").rules()).extracting(RuleDecision::remaining).containsExactly(4L, 3L, 5L);
        assertThatThrownBy(() -> limiter.reset("alice")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void allow_counts_each_user_of_an_action() {
        assertThat(limits.allow("alice", "send-sms", 1, Duration.ofDays(1))).isTrue();
        assertThat(limits.allow("alice", "send-sms", 1, Duration.ofDays(1))).isFalse();
        assertThat(limits.allow("bob", "send-sms", 1, Duration.ofDays(1))).isTrue();
        assertThat(limits.allow("alice", "login", 1, Duration.ofDays(1))).isTrue();
    }

    @Test
    void permits_below_one_are_rejected() {
        for (long permits : new long[] {0, -1, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> PermitRequest.of("alice").withPermits(permits))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("permits must be at least 1, was " + permits + "; use peek to read a count");
        }
    }

    @Test
    void the_denying_rule_is_reported_even_if_the_attempt_filled_another() {
        Policy policy = Policy.named("p")
                .rule("plain", Limit.slidingWindow(1, Duration.ofSeconds(1)), Attributes.USER)
                .rule(Rule.of("attempts", Limit.slidingWindow(2, Duration.ofHours(1)), Attributes.USER)
                        .countingAttempts())
                .rule(Rule.of("shadow", Limit.slidingWindow(2, Duration.ofHours(1)), Attributes.USER)
                        .countingAttempts()
                        .inShadow())
                .build();
        try (InMemoryLimitEngine still =
                InMemoryLimitEngine.builder().time(() -> 1_800_000_000_000_000L).build()) {
            Limiter limiter = still.limiter(policy);
            limiter.tryAcquire("alice");
            Decision first = limiter.tryAcquire("alice");
            assertThat(first.deniedBy()).contains("plain");
            assertThat(first.deniedInShadow()).isEmpty();
            assertThat(first.retryAfter()).contains(Duration.ofHours(1));
            Decision second = limiter.tryAcquire("alice");
            assertThat(second.deniedBy()).contains("attempts");
            assertThat(second.deniedInShadow()).containsExactly("shadow");
        }
    }

    @Test
    void a_policy_without_dimensions_takes_requests_without_attributes() throws InterruptedException {
        Limiter global = limits.limiter(Policy.of("global", Limit.slidingWindow(9, Duration.ofHours(1))));
        Decision decision = global.acquire(PermitRequest.global(), Duration.ZERO);
        global.async()
                .acquire(PermitRequest.global(), Duration.ZERO)
                .toCompletableFuture()
                .join();
        assertThat(global.peek(PermitRequest.global()).remaining()).isEqualTo(7);
        assertThat(global.refund(Attributes.none(), decision)).isEqualTo(1);
        assertThat(global.refundOldest(PermitRequest.global().withPermits(5))).isEqualTo(1);
        Decision another = global.tryAcquire(PermitRequest.global());
        assertThat(global.async()
                        .refund(Attributes.none(), another)
                        .toCompletableFuture()
                        .join())
                .isEqualTo(1);
        assertThat(global.async()
                        .refundOldest(PermitRequest.global().withPermits(5))
                        .toCompletableFuture()
                        .join())
                .isZero();
        global.tryAcquire(PermitRequest.global());
        assertThat(global.reset(Attributes.none())).isTrue();
        global.tryAcquire(PermitRequest.global());
        assertThat(global.async().reset(Attributes.none()).toCompletableFuture().join())
                .isTrue();
        assertThat(global.peek(PermitRequest.global()).remaining()).isEqualTo(9);
    }

    @Test
    void a_reset_without_attributes_is_an_error_if_a_rule_has_a_dimension() {
        Limiter mixed = limits.limiter(Policy.named("mixed")
                .rule("all", Limit.slidingWindow(9, Duration.ofHours(1)))
                .rule("each", Limit.slidingWindow(9, Duration.ofHours(1)), Attributes.USER)
                .build());
        mixed.tryAcquire("alice");
        assertThatThrownBy(() -> mixed.reset(Attributes.none())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> mixed.async().reset(Attributes.none())).isInstanceOf(IllegalArgumentException.class);
        assertThat(mixed.peek("alice").rules()).allMatch(rule -> rule.remaining() == 8);
    }
}
