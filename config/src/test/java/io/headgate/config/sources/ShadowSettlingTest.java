package io.headgate.config.sources;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.config.sources.PolicyPreview.Outcomes;
import io.headgate.config.sources.PolicyPreview.PolicyCounts;
import io.headgate.limits.InMemoryLimitEngine;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** From when on the counts of a shadow version include only requests that it decides as it would in force. */
class ShadowSettlingTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Outcomes NONE = new Outcomes(0, 0, 0, 0);

    private final AtomicLong nanos = new AtomicLong();
    private final InMemoryLimitEngine engine = InMemoryLimitEngine.builder()
            .time(() -> TimeUnit.NANOSECONDS.toMicros(nanos.get()))
            .build();
    private final Policy api = Policy.of("api", Limit.slidingWindow(2, MINUTE), "user");
    private final Policy inForce = Policy.of("api", Limit.slidingWindow(100, MINUTE), "user");
    private final Policy login = Policy.of("login", Limit.slidingWindow(1, MINUTE), "user");

    @AfterEach
    void close() {
        engine.close();
    }

    private ShadowEvaluation start(List<Policy> shadow, @Nullable ShadowEvaluation before, Policy... current) {
        if (before != null) {
            engine.removeListener(before);
        }
        ShadowEvaluation evaluation = new ShadowEvaluation(
                engine,
                "1-0123456789ab",
                Policies.of(shadow),
                "1-c49479cb295c",
                Policies.of(List.of(current)),
                before,
                nanos::get);
        engine.addListener(evaluation);
        return evaluation;
    }

    private void request(ShadowEvaluation evaluation, Policy policy, int times) {
        for (int i = 0; i < times; i++) {
            engine.limiter(policy).tryAcquire("alice");
        }
        evaluation.copies().sendAll();
    }

    private static PolicyCounts counts(ShadowEvaluation evaluation, String policy) {
        return evaluation.preview().policies().stream()
                .filter(counts -> counts.policy().equals(policy))
                .findFirst()
                .orElseThrow();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void the_comparison_starts_from_zero_when_the_counts_of_the_shadow_version_are_settled() {
        ShadowEvaluation evaluation = start(List.of(api), null, inForce);
        request(evaluation, inForce, 3);
        assertThat(counts(evaluation, "api").isSettled()).isFalse();
        assertThat(counts(evaluation, "api").outcomes()).isEqualTo(new Outcomes(0, 1, 1, 0));
        pass(MINUTE.minusMillis(1));
        assertThat(counts(evaluation, "api").requests()).isEqualTo(3);
        pass(Duration.ofMillis(1));
        assertThat(counts(evaluation, "api").isSettled()).isTrue();
        assertThat(counts(evaluation, "api").outcomes()).isEqualTo(NONE);
        pass(MINUTE);
        request(evaluation, inForce, 4);
        assertThat(counts(evaluation, "api").outcomes()).isEqualTo(new Outcomes(0, 2, 2, 0));
    }

    @Test
    void a_policy_that_begins_to_differ_later_settles_later_and_others_continue() {
        ShadowEvaluation first = start(List.of(api, login), null, inForce, login);
        pass(MINUTE);
        assertThat(counts(first, "api").isSettled()).isTrue();
        Policy raised = Policy.of("login", Limit.slidingWindow(5, MINUTE), "user");
        ShadowEvaluation second = start(List.of(api, login), first, inForce, raised);
        assertThat(counts(second, "api").isSettled()).isTrue();
        assertThat(counts(second, "login").isSettled()).isFalse();
        assertThat(counts(second, "login").settledFrom())
                .isAfter(counts(second, "api").settledFrom());
        pass(MINUTE);
        assertThat(counts(second, "login").isSettled()).isTrue();
        // A policy that no longer differs has no counts in the meantime.
        ShadowEvaluation third = start(List.of(api, login), second, inForce, login);
        ShadowEvaluation fourth = start(List.of(api, login), third, inForce, raised);
        assertThat(counts(fourth, "login").isSettled()).isFalse();
    }

    @Test
    void bans_of_a_shadow_version_settle_after_their_longest_duration() {
        Rule rule = Rule.of(Policy.ONLY_RULE, Limit.slidingWindow(2, MINUTE), "user")
                .banning(BanRule.after(5, MINUTE).lasting(Duration.ofHours(1)));
        ShadowEvaluation evaluation =
                start(List.of(Policy.named("api").rule(rule).build()), null, inForce);
        pass(Duration.ofHours(1));
        assertThat(counts(evaluation, "api").isSettled()).isFalse();
        pass(MINUTE);
        assertThat(counts(evaluation, "api").isSettled()).isTrue();
    }

    @Test
    void a_policy_that_differs_only_in_its_fallback_lease_or_pauses_is_not_evaluated() {
        Policy pausable = Policy.named("api")
                .rule(Policy.ONLY_RULE, Limit.slidingWindow(100, MINUTE), "user")
                .pausable()
                .build();
        assertThat(pausable).isNotEqualTo(inForce);
        assertThat(start(List.of(pausable), null, inForce).isNeeded()).isFalse();
    }

    @Test
    void a_decision_only_adds_a_copy_and_another_thread_decides_it() {
        ShadowEvaluation evaluation = start(List.of(api), null, inForce);
        engine.limiter(inForce).tryAcquire("alice");
        assertThat(counts(evaluation, "api").requests()).isZero();
        evaluation.copies().sendAll();
        assertThat(counts(evaluation, "api").requests()).isEqualTo(1);
    }

    private static PolicyPreview preview(boolean isSettled, long requests) {
        PolicyCounts counts = new PolicyCounts(
                "api", isSettled, Instant.EPOCH.plusSeconds(requests), requests, NONE, 0, 0, 0, List.of());
        return new PolicyPreview("1", "2", Instant.EPOCH, Optional.empty(), List.of(counts));
    }

    @Test
    void the_total_has_settled_counts_only_if_there_are_some() {
        assertThat(PolicyPreview.total(
                        List.of(preview(false, 1), preview(true, 2), preview(false, 4), preview(true, 8))))
                .singleElement()
                .satisfies(total -> {
                    assertThat(total.requests()).isEqualTo(10);
                    assertThat(total.isSettled()).isTrue();
                });
        assertThat(PolicyPreview.total(List.of(preview(false, 1), preview(false, 4))))
                .singleElement()
                .satisfies(total -> {
                    assertThat(total.requests()).isEqualTo(5);
                    assertThat(total.isSettled()).isFalse();
                    assertThat(total.settledFrom()).isEqualTo(Instant.EPOCH.plusSeconds(4));
                });
    }
}
