package io.headgate.server.limits;

import io.headgate.http.Receipt;
import io.headgate.http.Seconds;
import io.headgate.limits.Decision;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.server.bans.BanJson;
import io.headgate.server.text.Instants;
import io.headgate.server.text.Words;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A decision in the JSON API. Members that do not apply are absent; durations are seconds, exact to the microsecond. */
final class DecisionJson {

    private DecisionJson() {}

    /**
     * The members of the JSON object.
     *
     * @param receipt whether a charged decision has a receipt
     */
    static Map<String, Object> of(Decision decision, boolean receipt) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("policy", decision.policyName());
        members.put("allowed", decision.allowed());
        decision.deniedBy().ifPresent(rule -> members.put("deniedBy", rule));
        List<String> inShadow = decision.deniedInShadow();
        if (!inShadow.isEmpty()) {
            members.put("deniedInShadow", inShadow);
        }
        putDelay(members, decision.delay());
        // A decision without a count has no numbers, and those of a rule in shadow mode do not bind the client.
        Optional<RuleDecision> decisive = decision.decisive();
        if (decisive.isEmpty()) {
            putRetry(members, decision.retryAfter());
        } else if (!decisive.get().rule().shadow()) {
            putNumbers(members, decisive.get());
        }
        members.put("decidedAt", Instants.of(decision.decidedAt()));
        if (decision.basis() != Decision.Basis.COUNTED) {
            members.put("basis", Words.hyphenated(decision.basis()));
        }
        decision.ban().ifPresent(ban -> members.put("ban", BanJson.of(ban)));
        if (receipt) {
            Receipt.of(decision).ifPresent(text -> members.put("receipt", text));
        }
        List<Map<String, Object>> rules =
                decision.rules().stream().map(DecisionJson::of).toList();
        members.put("rules", rules);
        return members;
    }

    /**
     * The members of the JSON object of a decision by several policies.
     *
     * @param receipt whether the decision of each policy has a receipt, where something was charged
     */
    static Map<String, Object> of(CombinedDecision decision, boolean receipt) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("allowed", decision.allowed());
        if (decision.denied()) {
            members.put("deniedBy", decision.decisive().policyName());
        }
        putDelay(members, decision.delay());
        putRetry(members, decision.retryAfter());
        members.put(
                "policies",
                decision.decisions().stream().map(one -> of(one, receipt)).toList());
        return members;
    }

    private static Map<String, Object> of(RuleDecision rule) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("rule", rule.rule().name());
        if (rule.rule().shadow()) {
            members.put("shadow", true);
        }
        members.put("allowed", rule.allowed());
        putDelay(members, rule.delay());
        putNumbers(members, rule);
        rule.bannedFor().ifPresent(time -> members.put("bannedForSeconds", Seconds.exact(time)));
        return members;
    }

    private static void putDelay(Map<String, Object> members, Duration delay) {
        if (!delay.isZero()) {
            members.put("delaySeconds", Seconds.exact(delay));
        }
    }

    private static void putRetry(Map<String, Object> members, Optional<Duration> retryAfter) {
        retryAfter.ifPresent(wait -> members.put("retryAfterSeconds", Seconds.exact(wait)));
    }

    private static void putNumbers(Map<String, Object> members, RuleDecision rule) {
        members.put("limit", rule.limit());
        members.put("remaining", rule.remaining());
        putRetry(members, rule.retryAfter());
        members.put("resetAfterSeconds", Seconds.exact(rule.resetAfter()));
    }
}
