package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.internal.decision.EngineDecision;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the decisions that engines create. */
class DecisionTest {

    private static final Rule GLOBAL = Rule.of("global", Limit.slidingWindow(9, Duration.ofMinutes(1)));
    private static final Rule PER_USER = Rule.of("per-user", Limit.slidingWindow(5, Duration.ofMinutes(1)), "user");
    private static final Policy BOTH =
            Policy.named("both").rule(GLOBAL).rule(PER_USER).build();
    private static final Policy ONE = Policy.named("one").rule(PER_USER).build();

    @Test
    void an_allowed_decision_needs_no_retry() {
        Decision decision = EngineDecisions.of(ONE, 1_000_000, 1, EngineRuleDecision.allowed(PER_USER, 4, 60_000_000));
        assertThat(decision.allowed()).isTrue();
        assertThat(decision.retryable()).isFalse();
        assertThat(decision.retryAfter()).isEmpty();
        assertThat(decision.remaining()).isEqualTo(4);
        assertThat(decision.resetAfter()).isEqualTo(Duration.ofMinutes(1));
        assertThat(decision.decidedAt()).isEqualTo(Instant.ofEpochSecond(1));
        assertThat(decision.rules()).containsExactly(EngineRuleDecision.allowed(PER_USER, 4, 60_000_000));
    }

    @Test
    void a_denied_decision_has_a_retry_after() {
        Decision decision = EngineDecisions.of(ONE, 0, 1, EngineRuleDecision.denied(PER_USER, 0, 1, 60_000_000));
        assertThat(decision.denied()).isTrue();
        assertThat(decision.retryable()).isTrue();
        assertThat(decision.retryAfter()).contains(Duration.ofNanos(1000));
    }

    @Test
    void a_request_for_more_than_the_limit_is_not_retryable() {
        Decision decision = EngineDecisions.of(ONE, 0, 1, EngineRuleDecision.neverAllowed(PER_USER, 5, 0));
        assertThat(decision.denied()).isTrue();
        assertThat(decision.retryable()).isFalse();
        assertThat(decision.retryAfter()).isEmpty();
        assertThat(decision).asString().contains("retry after never");
    }

    @Test
    void a_rule_that_never_allows_the_request_is_decisive() {
        Decision decision = EngineDecisions.of(
                BOTH,
                0,
                1,
                EngineRuleDecision.denied(GLOBAL, 2, 7, 9),
                EngineRuleDecision.neverAllowed(PER_USER, 5, 0));
        assertThat(decision.deniedBy()).contains("per-user");
        assertThat(decision.retryable()).isFalse();
        assertThat(decision.rules()).extracting(RuleDecision::retryable).containsExactly(true, false);
    }

    @Test
    void a_rule_that_the_attempt_filled_determines_the_retry_after_but_did_not_deny() {
        Rule attempts = PER_USER.countingAttempts();
        Policy policy = Policy.named("p").rule(GLOBAL).rule(attempts).build();
        EngineRuleDecision full = EngineRuleDecision.allowedAndFull(attempts, 0, 9, 9);
        Decision decision = EngineDecisions.of(policy, 0, 1, EngineRuleDecision.denied(GLOBAL, 0, 7, 9), full);
        assertThat(decision.denied()).isTrue();
        assertThat(decision.charged()).isZero();
        assertThat(decision.deniedBy()).contains("global");
        assertThat(decision.decisive()).contains(full);
        assertThat(decision.retryAfter()).contains(Duration.ofNanos(9000));
        assertThat(decision.rules()).extracting(RuleDecision::allowed).containsExactly(false, true);
        assertThat(full.retryAfter()).contains(Duration.ofNanos(9000));
        assertThat(full)
                .hasToString(
                        "per-user allowed, limit 5, remaining 0, retry after PT0.000009S, reset after PT0.000009S");
        assertThat(decision).asString().startsWith("denied by global at ");
        assertThatThrownBy(() -> EngineDecisions.of(policy, 0, 1, EngineRuleDecision.allowed(GLOBAL, 0, 9), full))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("a request that every rule allows is not an attempt");
        assertThatThrownBy(() -> EngineRuleDecision.allowedAndFull(PER_USER, 0, 9, 9))
                .hasMessage("rule per-user does not count attempts");
    }

    @Test
    void the_text_of_a_decision_marks_rules_in_shadow_mode() {
        Rule shadow = PER_USER.inShadow();
        Policy policy = Policy.named("p").rule(GLOBAL).rule(shadow).build();
        Decision decision = EngineDecisions.of(
                policy, 0, 1, EngineRuleDecision.allowed(GLOBAL, 4, 9), EngineRuleDecision.denied(shadow, 0, 7, 9));
        assertThat(decision).asString().contains("[global allowed, ").contains(", per-user (shadow) denied, ");
    }

    @Test
    void decisions_of_the_same_content_are_equal() {
        EngineDecision decision = EngineDecisions.of(ONE, 7, 1, EngineRuleDecision.allowed(PER_USER, 4, 5));
        assertThat(decision)
                .isEqualTo(EngineDecisions.of(
                        ONE, 7, 1, new EngineRuleDecision[] {EngineRuleDecision.allowed(PER_USER, 4, 5)}))
                .hasSameHashCodeAs(EngineDecisions.of(ONE, 7, 1, EngineRuleDecision.allowed(PER_USER, 4, 5)))
                .isNotEqualTo(
                        EngineDecisions.of(Policy.named("two").rule(PER_USER).build(), 7, 1, (EngineRuleDecision)
                                decision.decisive().orElseThrow()))
                .isNotEqualTo(EngineDecisions.of(ONE, 8, 1, EngineRuleDecision.allowed(PER_USER, 4, 5)))
                .isNotEqualTo(EngineDecisions.of(ONE, 7, 1, EngineRuleDecision.allowed(PER_USER, 3, 5)))
                .isNotEqualTo(EngineDecisions.of(ONE, 7, 1, EngineRuleDecision.denied(PER_USER, 4, 1, 5)));
    }

    @Test
    void the_rules_must_be_the_rules_of_the_policy_in_their_order() {
        EngineRuleDecision global = EngineRuleDecision.allowed(GLOBAL, 9, 0);
        EngineRuleDecision perUser = EngineRuleDecision.allowed(PER_USER, 5, 0);
        assertThatThrownBy(() -> EngineDecisions.of(BOTH, 0, 1, perUser, global))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("policy both has the rules [global, per-user] in this order; the decisions are of"
                        + " [per-user, global]");
        assertThatThrownBy(() -> EngineDecisions.of(BOTH, 0, 1, perUser)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> EngineDecisions.of(BOTH, 0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> EngineDecisions.of(ONE, 0, 1, perUser, perUser))
                .isInstanceOf(IllegalArgumentException.class);
        EngineRuleDecision ofAnotherLimit = EngineRuleDecision.allowed(
                Rule.of("per-user", Limit.slidingWindow(6, Duration.ofMinutes(1)), "user"), 5, 0);
        assertThatThrownBy(() -> EngineDecisions.of(ONE, 0, 1, ofAnotherLimit))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("permits=5")
                .hasMessageContaining("permits=6");
    }

    @Test
    void impossible_numbers_are_rejected() {
        assertThatThrownBy(() -> EngineRuleDecision.allowed(PER_USER, 6, 0))
                .hasMessage("remaining must be from 0 to 5, was 6");
        assertThatThrownBy(() -> EngineRuleDecision.allowed(PER_USER, -1, 0))
                .hasMessage("remaining must be from 0 to 5, was -1");
        assertThatThrownBy(() -> EngineRuleDecision.neverAllowed(PER_USER, 0, -1))
                .hasMessageStartingWith("resetMicros must be from 0 to ");
        assertThatThrownBy(() -> EngineRuleDecision.denied(PER_USER, 0, 0, 0))
                .hasMessageStartingWith("retryMicros must be from 1 to ");
    }

    @Test
    void a_decision_without_rules_has_no_numbers_except_the_retry_after_of_a_denial() {
        EngineDecision open = EngineDecisions.open(BOTH, 7);
        assertThat(open.allowed()).isTrue();
        assertThat(open.retryAfter()).isEmpty();
        assertThat(open).hasToString("allowed without a rule (open) at 1970-01-01T00:00:00.000007Z");
        EngineDecision closed = EngineDecisions.closed(BOTH, 7, 1_000_000);
        assertThat(closed.denied()).isTrue();
        assertThat(closed.retryable()).isTrue();
        assertThat(closed.retryAfter()).contains(Duration.ofSeconds(1));
        assertThat(closed)
                .hasToString("denied without a rule (closed) at 1970-01-01T00:00:00.000007Z, retry after PT1S");
        assertThat(closed).isEqualTo(EngineDecisions.closed(BOTH, 7, 1_000_000)).isNotEqualTo(open);
        assertThat(closed.withChargeId(9).chargeId()).isEqualTo(9);
        for (Decision one : List.of(open, closed)) {
            assertThat(one.decisive()).isEmpty();
            assertThat(one.rules()).isEmpty();
            assertThat(one.deniedBy()).isEmpty();
            assertThat(one.deniedInShadow()).isEmpty();
            assertThat(one.limit()).isZero();
            assertThat(one.remaining()).isZero();
            assertThat(one.charged()).isZero();
            assertThat(one.delay()).isZero();
            assertThat(one.resetAfter()).isZero();
            assertThatThrownBy(() -> one.decidedAt("global")).isInstanceOf(IllegalArgumentException.class);
        }
        Policy shadow = Policy.named("shadow").rule(GLOBAL.inShadow()).build();
        assertThat(EngineDecisions.closed(shadow, 7, 1).basis()).isEqualTo(Decision.Basis.OPEN);
    }

    @Test
    void a_decision_from_a_lease_reports_the_unspent_permits_as_remaining_and_a_bucket_as_reset_earlier() {
        Rule bucket = Rule.of("bucket", Limit.tokenBucket(20, 1, Duration.ofSeconds(1)));
        Rule window = Rule.of("window", Limit.slidingWindow(20, Duration.ofMinutes(1)));
        Rule shadow = Rule.of("shadow", Limit.tokenBucket(9, 1, Duration.ofSeconds(1)))
                .inShadow();
        Policy policy = Policy.named("p")
                .rule(bucket)
                .rule(window)
                .rule(shadow)
                .leased()
                .build();
        Decision lease = EngineDecisions.of(
                policy,
                0,
                8,
                EngineRuleDecision.allowed(bucket, 10, 10_000_000),
                EngineRuleDecision.allowed(window, 10, 60_000_000),
                EngineRuleDecision.denied(shadow, 3, 5_000_000, 6_000_000));
        Decision first = EngineDecisions.leased(lease, 2, 6);
        assertThat(first.charged()).isEqualTo(2);
        assertThat(first.rules()).extracting(RuleDecision::remaining).containsExactly(16L, 16L, 3L);
        // For the bucket, 10 s less the refill of the 6 unspent permits, which is computed as 1 us longer.
        assertThat(first.rules())
                .extracting(rule -> rule.resetAfter().toNanos() / 1000)
                .containsExactly(3_999_999L, 60_000_000L, 6_000_000L);
        assertThat(EngineDecisions.leased(lease, 8, 0).rules()).isEqualTo(lease.rules());
    }
}
