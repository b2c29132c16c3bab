package io.headgate.spring.operations;

import io.headgate.limits.Fallback;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRule;
import io.headgate.spring.internal.PropertyValues;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Policies and their counts as JSON. Members that do not apply are absent. */
final class PolicyJson {

    private final DecisionCounts counts;

    PolicyJson(DecisionCounts counts) {
        this.counts = counts;
    }

    Map<String, Object> of(Policy policy) {
        Map<String, Object> members = used(policy.name());
        putFallback(members, policy.fallback());
        policy.lease().ifPresent(lease -> members.put("lease", PropertyValues.text(lease)));
        if (policy.pausable()) {
            members.put("pausable", true);
        }
        members.put(
                "rules", policy.rules().stream().map(rule -> of(policy, rule)).toList());
        return members;
    }

    Map<String, Object> of(InFlightPolicy policy) {
        Map<String, Object> members = used(policy.name());
        putFallback(members, policy.fallback());
        members.put("lease", PropertyValues.text(policy.lease()));
        policy.atMost().ifPresent(longest -> members.put("atMost", PropertyValues.text(longest)));
        members.put(
                "rules", policy.rules().stream().map(rule -> of(policy, rule)).toList());
        return members;
    }

    private Map<String, Object> used(String policy) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("policy", policy);
        members.putAll(counts.members(policy));
        return members;
    }

    private static void putFallback(Map<String, Object> members, Optional<Fallback> fallback) {
        fallback.ifPresent(own -> {
            members.put("fallback", PropertyValues.word(own.mode()));
            own.budget().ifPresent(budget -> members.put("budget", PropertyValues.text(budget)));
        });
    }

    private static Map<String, Object> of(BanRule ban) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("after", ban.denials());
        members.put("within", ban.within().toString());
        members.put("for", ban.duration().toString());
        ban.longest().ifPresent(longest -> members.put("doublingUpTo", longest.toString()));
        return members;
    }

    private Map<String, Object> of(Policy policy, Rule rule) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("rule", rule.name());
        members.put("by", rule.dimensions());
        members.put("limit", LimitJson.of(rule.limit()));
        members.put("countAttempts", rule.countsAttempts());
        members.put("shadow", rule.shadow());
        rule.ban().ifPresent(ban -> members.put("ban", of(ban)));
        members.put(
                "overrides",
                policy.overrides().stream()
                        .filter(override -> override.rule().equals(rule.name()))
                        .count());
        members.put(rule.shadow() ? "deniedInShadow" : "denied", counts.denied(policy.name(), rule.name()));
        return members;
    }

    private Map<String, Object> of(InFlightPolicy policy, InFlightRule rule) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("rule", rule.name());
        members.put("by", rule.dimensions());
        members.put("limit", Map.of("in-flight", Map.of("permits", rule.permits())));
        members.put("denied", counts.denied(policy.name(), rule.name()));
        return members;
    }
}
