package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.testkit.Decisions;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProblemTest {

    @Test
    void a_denial_names_its_kind_the_policy_and_the_rules_that_denied() {
        assertThat(Problem.denied(ApiDecisions.API, ApiDecisions.denied(), 429).members())
                .containsExactly(
                        Map.entry("type", "https://iana.org/assignments/http-problem-types#quota-exceeded"),
                        Map.entry("title", "Quota exceeded"),
                        Map.entry("status", 429),
                        Map.entry(
                                "detail",
                                "Rule per-user admits 100 permits in any minute, by user. Try again in 42 seconds."),
                        Map.entry("policy", "api"),
                        Map.entry("violated-policies", List.of("per-user")));
    }

    @Test
    void every_rule_that_denied_is_named() {
        Decision decision = Decisions.denied(ApiDecisions.API, "global")
                .alsoDeniedBy("per-user", Duration.ofMillis(500))
                .build();
        Problem problem = Problem.denied(ApiDecisions.API, decision, 403);

        assertThat(problem.status()).isEqualTo(403);
        assertThat(problem.members()).containsEntry("violated-policies", List.of("global", "per-user"));
        assertThat(problem.detail()).endsWith("Try again in 1 second.");
    }

    @Test
    void a_rule_that_allowed_the_request_but_was_filled_by_the_attempt_is_not_named() {
        Rule attempts = ApiDecisions.PER_USER.countingAttempts();
        Policy policy =
                Policy.named("api").rule(ApiDecisions.GLOBAL).rule(attempts).build();
        Decision decision = EngineDecisions.of(
                policy,
                1_800_000_000_000_000L,
                1,
                EngineRuleDecision.denied(ApiDecisions.GLOBAL, 0, 1_000, 2_000_000),
                EngineRuleDecision.allowedAndFull(attempts, 0, 60_000_000, 60_000_000));
        Problem problem = Problem.denied(policy, decision, 429);
        assertThat(problem.members()).containsEntry("violated-policies", List.of("global"));
        assertThat(problem.detail()).startsWith("Rule global admits").endsWith("Try again in 60 seconds.");
    }

    @Test
    void a_request_that_can_never_be_allowed_is_described_as_such() {
        assertThat(Problem.denied(ApiDecisions.API, ApiDecisions.notRetryable(), 429)
                        .detail())
                .endsWith("by user. This many permits are never admitted at once.");
    }

    @Test
    void a_denial_without_a_rule_names_the_policy_and_when_to_retry() {
        Problem problem =
                Problem.denied(ApiDecisions.API, Decisions.closed(ApiDecisions.API, Duration.ofMillis(1500)), 503);
        assertThat(problem.members())
                .containsExactly(
                        Map.entry("type", "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"),
                        Map.entry("title", "Temporarily reduced capacity"),
                        Map.entry("status", 503),
                        Map.entry(
                                "detail",
                                "Policy api denies all requests while its counts are unavailable. Try again in 2 seconds."),
                        Map.entry("policy", "api"),
                        Map.entry("violated-policies", List.of()));
    }

    @Test
    void a_denial_by_a_pause_names_the_policy_and_when_to_retry() {
        Problem problem =
                Problem.denied(ApiDecisions.API, Decisions.paused(ApiDecisions.API, Duration.ofSeconds(1)), 429);
        assertThat(problem.detail()).isEqualTo("Policy api pauses these requests. Try again in 1 second.");
        assertThat(RateLimitFields.of(Decisions.paused(ApiDecisions.API, Duration.ofSeconds(1))))
                .containsExactly(Map.entry(RateLimitFields.RETRY_AFTER, "1"));
    }

    @Test
    void a_denial_by_a_ban_has_the_type_of_its_status_and_hides_the_reason() {
        Instant until = Instant.parse("2027-01-15T08:00:30Z");
        BanEntry ban = new BanEntry(
                BanTarget.user("mallory"), BanEntry.Kind.BAN, Instant.EPOCH, Optional.of(until), "card testing", "ada");
        Problem problem = Problem.denied(ApiDecisions.API, Decisions.byBan(ApiDecisions.API, ban), 403);
        assertThat(problem).isEqualTo(Problem.of(403, "These requests are banned. Try again in 30 seconds."));
        assertThat(problem.title()).isEqualTo("Forbidden");
        BanEntry permanent =
                new BanEntry(ban.target(), ban.kind(), ban.since(), Optional.empty(), ban.reason(), ban.by());
        assertThat(Problem.denied(ApiDecisions.API, Decisions.byBan(ApiDecisions.API, permanent), 429))
                .isEqualTo(Problem.of(429, "These requests are banned."));
        assertThat(RateLimitFields.of(Decisions.byBan(ApiDecisions.API, permanent)))
                .isEmpty();
    }

    @Test
    void an_allowed_decision_is_rejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Problem.denied(ApiDecisions.API, ApiDecisions.allowed(), 429))
                .withMessageStartingWith("decision must be denied, but was allowed at ");
    }

    @Test
    void the_title_of_a_status_is_its_reason_phrase() {
        assertThat(Problem.of(403, "too many wait").title()).isEqualTo("Forbidden");
        assertThat(Problem.of(429, "too many wait").title()).isEqualTo("Too Many Requests");
        assertThat(Problem.of(599, "unknown").title()).isEqualTo("Status 599");
    }

    @Test
    void a_status_above_599_is_rejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Problem.of(600, "no such status"))
                .withMessage("status must be 100 to 599, but is 600");
    }

    @Test
    void extensions_are_copied_and_stay_in_order() {
        Map<String, Object> extensions = new LinkedHashMap<>(Map.of("b", 1));
        extensions.put("a", 2);
        Problem problem = new Problem(Problem.NO_TYPE, "Conflict", 409, "twice", extensions);
        extensions.clear();

        assertThat(problem.members().keySet()).containsExactly("type", "title", "status", "detail", "b", "a");
    }
}
