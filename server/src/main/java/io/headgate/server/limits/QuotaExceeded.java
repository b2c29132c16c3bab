package io.headgate.server.limits;

import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import io.headgate.server.http.Problem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A denial as a problem: the type that the IETF draft on rate limit fields registers, with the rules that denied. */
final class QuotaExceeded {

    private QuotaExceeded() {}

    /**
     * The problem that tells a client of the denial.
     *
     * @param status the status that the client gets
     */
    static Problem of(Policy policy, Decision decision, int status) {
        Map<String, Object> more = new LinkedHashMap<>();
        more.put("policy", policy.name());
        more.put("violated-policies", violated(decision));
        return new Problem(Problem.QUOTA_EXCEEDED, "Quota exceeded", status, detail(decision), more);
    }

    private static List<String> violated(Decision decision) {
        return decision.rules().stream()
                .filter(rule -> !rule.allowed() && !rule.rule().shadow())
                .map(rule -> rule.rule().name())
                .toList();
    }

    private static String detail(Decision decision) {
        RuleDecision by = decision.rules().stream()
                .filter(rule ->
                        decision.deniedBy().equals(Optional.of(rule.rule().name())))
                .findFirst()
                .orElseThrow();
        String who = "Rule " + by.rule().name() + " admits " + LimitWords.of(by.rule());
        return RateLimitHeaders.retryAfterSeconds(decision)
                .map(seconds -> who + ". Try again in " + seconds + (seconds == 1 ? " second." : " seconds."))
                .orElse(who + ". So many permits at once never pass.");
    }
}
