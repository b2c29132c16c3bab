package io.headgate.config.sources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.config.Policies;
import io.headgate.config.sources.PolicyPreview.Outcomes;
import io.headgate.config.sources.PolicyPreview.PolicyCounts;
import io.headgate.config.sources.PolicyPreview.RuleCounts;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.LimitListener;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanRule;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.combined.CombinedRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an evaluation counts, in memory. */
class ShadowEvaluationTest {

    /** So long that no permit returns during a test. */
    private static final Duration WINDOW = Duration.ofMinutes(15);

    private final InMemoryLimitEngine engine = InMemoryLimitEngine.create();

    @AfterEach
    void close() {
        engine.close();
    }

    private static Policy perUser(long permits) {
        return Policy.of("api", Limit.slidingWindow(permits, WINDOW), "user");
    }

    private ShadowEvaluation evaluate(Policy inForce, Policy shadow) {
        ShadowEvaluation evaluation = evaluation(List.of(shadow), List.of(inForce));
        engine.addListener(evaluation);
        return evaluation;
    }

    private ShadowEvaluation evaluation(List<Policy> shadow, List<Policy> inForce) {
        return new ShadowEvaluation(
                engine,
                "1-0123456789ab",
                Policies.of(shadow),
                "1-c49479cb295c",
                Policies.of(inForce),
                null,
                System::nanoTime);
    }

    /** Returns the only counts, after all copies are sent. */
    private static PolicyCounts only(ShadowEvaluation evaluation) {
        evaluation.copies().sendAll();
        return evaluation.preview().policies().get(0);
    }

    private static Outcomes outcomes(long denied, long wouldBeDenied, long newlyDenied, long newlyAllowed) {
        return new Outcomes(denied, wouldBeDenied, newlyDenied, newlyAllowed);
    }

    @Test
    void a_lower_limit_denies_exactly_the_requests_above_it_and_real_decisions_are_unchanged() {
        ShadowEvaluation evaluation = evaluate(perUser(5), perUser(2));
        Limiter api = engine.limiter(perUser(5));
        for (int i = 1; i <= 8; i++) {
            assertThat(api.tryAcquire("alice").allowed()).isEqualTo(i <= 5);
        }
        PolicyCounts counts = only(evaluation);
        assertThat(counts)
                .isEqualTo(new PolicyCounts(
                        "api",
                        false,
                        counts.settledFrom(),
                        8,
                        outcomes(3, 6, 3, 0),
                        0,
                        0,
                        0,
                        List.of(new RuleCounts(Policy.ONLY_RULE, outcomes(3, 6, 3, 0), 0))));
    }

    @Test
    void a_higher_limit_allows_requests_that_are_denied_now() {
        ShadowEvaluation evaluation = evaluate(perUser(2), perUser(5));
        Limiter api = engine.limiter(perUser(2));
        for (int i = 0; i < 8; i++) {
            api.tryAcquire("alice");
        }
        assertThat(only(evaluation).outcomes()).isEqualTo(outcomes(6, 3, 0, 3));
    }

    @Test
    void a_denial_counts_for_the_rule_that_denies_of_each_version() {
        Policy before = Policy.named("api")
                .rule("per-user", Limit.slidingWindow(2, WINDOW), "user")
                .build();
        Policy after = Policy.named("api")
                .rule("per-user", Limit.slidingWindow(10, WINDOW), "user")
                .rule("global", Limit.slidingWindow(3, WINDOW))
                .build();
        ShadowEvaluation evaluation = evaluate(before, after);
        Limiter api = engine.limiter(before);
        for (int i = 0; i < 4; i++) {
            api.tryAcquire("alice");
        }
        api.tryAcquire("bob");
        assertThat(only(evaluation).rules())
                .containsExactly(
                        new RuleCounts("per-user", outcomes(2, 0, 0, 1), 0),
                        new RuleCounts("global", outcomes(0, 2, 1, 0), 0));
        assertThat(only(evaluation).outcomes()).isEqualTo(outcomes(2, 2, 1, 1));
    }

    @Test
    void requests_without_an_attribute_of_a_new_rule_are_incomplete_and_decided_as_before() {
        Policy after = Policy.named("api")
                .rule(Policy.ONLY_RULE, Limit.slidingWindow(1, WINDOW), "user")
                .rule("per-ip", Limit.slidingWindow(1, WINDOW), "ip")
                .build();
        ShadowEvaluation evaluation = evaluate(perUser(2), after);
        Limiter api = engine.limiter(perUser(2));
        assertThat(api.tryAcquire("alice").allowed()).isTrue();
        assertThat(api.tryAcquire(
                                PermitRequest.of(Attributes.of("user", "alice").with("ip", "192.0.2.1")))
                        .allowed())
                .isTrue();
        PolicyCounts counts = only(evaluation);
        assertThat(counts.requests()).isEqualTo(1);
        assertThat(counts.incomplete()).isEqualTo(1);
        assertThat(counts.rules().get(1)).isEqualTo(new RuleCounts("per-ip", outcomes(0, 0, 0, 0), 1));
        assertThat(counts.rules().get(0).incomplete()).isZero();
    }

    @Test
    void copies_request_as_many_permits() {
        ShadowEvaluation evaluation = evaluate(perUser(100), perUser(10));
        Limiter api = engine.limiter(perUser(100));
        api.tryAcquire(PermitRequest.of("alice").withPermits(8));
        api.tryAcquire(PermitRequest.of("alice").withPermits(3));
        api.tryAcquire(PermitRequest.of("alice").withPermits(2));
        assertThat(only(evaluation).outcomes()).isEqualTo(outcomes(0, 1, 1, 0));
    }

    @Test
    void a_request_that_another_policy_denies_is_charged_by_neither_version() {
        ShadowEvaluation evaluation = evaluate(perUser(5), perUser(1));
        Limiter api = engine.limiter(perUser(5));
        Limiter other = engine.limiter(Policy.of("other", Limit.slidingWindow(0, WINDOW), "user"));
        for (int i = 0; i < 3; i++) {
            assertThat(engine.tryAcquire(CombinedRequest.of(api, "alice").and(other, "alice"))
                            .denied())
                    .isTrue();
        }
        assertThat(only(evaluation).outcomes()).isEqualTo(outcomes(0, 0, 0, 0));
        api.tryAcquire("alice");
        api.tryAcquire("alice");
        assertThat(only(evaluation).requests()).isEqualTo(5);
        assertThat(only(evaluation).outcomes()).isEqualTo(outcomes(0, 1, 1, 0));
    }

    @Test
    void peeks_banned_exempt_and_paused_requests_are_not_counted() {
        Policy before = Policy.named("api")
                .rule(Policy.ONLY_RULE, Limit.slidingWindow(5, WINDOW), "user")
                .pausable()
                .build();
        ShadowEvaluation evaluation = evaluate(before, perUser(1));
        Limiter api = engine.limiter(before);
        engine.bans().add(BanRequest.ban(BanTarget.user("mallory")));
        engine.bans().add(BanRequest.exemption(BanTarget.user("monitor")));
        api.pause("carol", WINDOW);
        api.peek("alice");
        assertThat(api.tryAcquire("mallory").denied()).isTrue();
        assertThat(api.tryAcquire("monitor").allowed()).isTrue();
        assertThat(api.tryAcquire("carol").denied()).isTrue();
        assertThat(only(evaluation).requests()).isZero();
        assertThat(only(evaluation).skipped()).isZero();
    }

    @Test
    void copies_reach_no_listener_and_no_list_of_policies() {
        AtomicInteger decisions = new AtomicInteger();
        engine.addListener(new LimitListener() {
            @Override
            public void onDecision(
                    Policy policy, Attributes attributes, long permits, Decision decision, long elapsedNanos) {
                decisions.incrementAndGet();
            }
        });
        ShadowEvaluation evaluation = evaluate(perUser(5), perUser(1));
        Limiter api = engine.limiter(perUser(5));
        api.tryAcquire("alice");
        assertThat(only(evaluation).requests()).isEqualTo(1);
        assertThat(decisions).hasValue(1);
        assertThat(engine.policies()).containsExactly(perUser(5));
        assertThat(engine.keys()).isEqualTo(1);
    }

    @Test
    void repeated_requests_and_attempts_of_waiting_requests_are_copied_each_time() throws Exception {
        ShadowEvaluation evaluation = evaluate(perUser(2), perUser(1));
        Limiter api = engine.limiter(perUser(2));
        PermitRequest request = PermitRequest.of("alice").withId(RequestId.of("order-17"));
        assertThat(api.tryAcquire(request).allowed()).isTrue();
        assertThat(api.tryAcquire(request).allowed()).isTrue();
        assertThat(api.peek("alice").remaining()).isEqualTo(1);
        assertThat(only(evaluation).outcomes()).isEqualTo(outcomes(0, 1, 1, 0));
        api.acquire("alice", Duration.ZERO);
        assertThat(api.acquire("alice", Duration.ZERO).denied()).isTrue();
        assertThat(only(evaluation).requests()).isEqualTo(4);
    }

    @Test
    void refunded_permits_still_count_for_the_shadow_version() {
        ShadowEvaluation evaluation = evaluate(perUser(2), perUser(1));
        Limiter api = engine.limiter(perUser(2));
        api.refund("alice", api.tryAcquire("alice"));
        assertThat(api.tryAcquire("alice").remaining()).isEqualTo(1);
        assertThat(only(evaluation).outcomes()).isEqualTo(outcomes(0, 1, 1, 0));
    }

    @Test
    void a_shadow_version_begins_bans_of_its_own() {
        Rule rule = Rule.of(Policy.ONLY_RULE, Limit.slidingWindow(1, WINDOW), "user");
        BanRule bans = BanRule.after(2, WINDOW);
        ShadowEvaluation evaluation = evaluate(
                perUser(10), Policy.named("api").rule(rule.banning(bans)).build());
        Limiter api = engine.limiter(perUser(10));
        for (int i = 0; i < 5; i++) {
            assertThat(api.tryAcquire("alice").allowed()).isTrue();
        }
        assertThat(only(evaluation).outcomes()).isEqualTo(outcomes(0, 4, 4, 0));
        assertThat(engine.bans().entries()).isEmpty();
    }

    @Test
    void a_request_to_several_policies_takes_no_shadow_limiter() {
        Limiter shadow = engine.shadowLimiter(perUser(1), "x");
        Limiter other = engine.limiter(Policy.of("other", Limit.slidingWindow(1, WINDOW), "user"));
        assertThatThrownBy(() ->
                        engine.tryAcquire(CombinedRequest.of(shadow, "alice").and(other, "alice")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> engine.shadowLimiter(perUser(1), "a b"))
                .hasMessageStartingWith("shadow must be 1 to 64 of A-Z a-z 0-9 . _ -");
    }

    @Test
    void overrides_are_evaluated() {
        Policy after = Policy.named("api")
                .rule(Policy.ONLY_RULE, Limit.slidingWindow(1, WINDOW), "user")
                .override(Policy.ONLY_RULE, Attributes.of("user", "alice"), Limit.slidingWindow(3, WINDOW))
                .build();
        ShadowEvaluation evaluation = evaluate(perUser(5), after);
        Limiter api = engine.limiter(perUser(5));
        for (int i = 0; i < 4; i++) {
            api.tryAcquire("alice");
            api.tryAcquire("bob");
        }
        assertThat(only(evaluation).outcomes()).isEqualTo(outcomes(0, 4, 4, 0));
    }

    @Test
    void only_changed_policies_are_evaluated_and_settle_after_their_longest_window() {
        Policy same = Policy.of("same", Limit.slidingWindow(1, Duration.ofDays(1)), "user");
        Policy added = Policy.of("added", Limit.slidingWindow(1, Duration.ofDays(1)), "user");
        ShadowEvaluation evaluation = evaluation(List.of(same, added, perUser(1)), List.of(same, perUser(2)));
        assertThat(evaluation.preview().policies())
                .extracting(PolicyCounts::policy)
                .containsExactly("api");
        PolicyPreview preview = evaluation.preview();
        assertThat(preview.comparedWith()).isEqualTo("1-c49479cb295c");
        assertThat(only(evaluation).settledFrom())
                .isBetween(preview.since().plus(WINDOW), preview.since().plus(WINDOW.multipliedBy(2)));
        assertThat(LimitSize.longestCounted(Limit.tokenBucket(20, 5, Duration.ofSeconds(1))))
                .isEqualTo(Duration.ofSeconds(4));
        assertThat(LimitSize.longestCounted(Limit.slidingCounter(20, WINDOW))).isEqualTo(WINDOW.multipliedBy(2));
    }

    private static ShadowPolicy shadow(LimitEngine engine, CopyQueue copies) {
        return new ShadowPolicy(
                perUser(5), perUser(1), engine.shadowLimiter(perUser(1), "x"), null, copies, System::nanoTime);
    }

    @Test
    void an_engine_that_is_closed_lets_copies_fail() {
        InMemoryLimitEngine closed = InMemoryLimitEngine.create();
        CopyQueue copies = new CopyQueue();
        ShadowPolicy shadow = shadow(closed, copies);
        closed.close();
        shadow.copy(
                Attributes.of("user", "alice"), 1, engine.limiter(perUser(5)).tryAcquire("alice"));
        copies.sendAll();
        assertThat(shadow.counts().failed()).isEqualTo(1);
        assertThat(shadow.counts().requests()).isZero();
    }

    @Test
    void more_outstanding_copies_than_allowed_are_skipped() {
        CopyQueue copies = new CopyQueue();
        ShadowPolicy shadow = shadow(engine, copies);
        Decision decision = engine.limiter(perUser(5)).tryAcquire("alice");
        for (int i = 0; i < CopyQueue.MAX_OUTSTANDING + 3; i++) {
            shadow.copy(Attributes.of("user", "alice"), 1, decision);
        }
        assertThat(shadow.counts().skipped()).isEqualTo(3);
        copies.sendAll();
        assertThat(shadow.counts().requests()).isEqualTo(CopyQueue.MAX_OUTSTANDING);
        shadow.copy(Attributes.of("user", "alice"), 1, decision);
        assertThat(shadow.counts().skipped()).isEqualTo(3);
    }
}
