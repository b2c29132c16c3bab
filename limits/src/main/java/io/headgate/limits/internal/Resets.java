package io.headgate.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/**
 * A reset of the rules of a policy that have dimensions, or of every rule if the policy has no dimensions.
 *
 * @param rules the names of the rules
 */
public record Resets(List<String> rules, Attributes attributes) {

    /**
     * Returns the reset of a policy. Checks the attributes against every rule, including those that it does not reset.
     *
     * @throws IllegalArgumentException if a dimension is missing, or if the policy has none and there are attributes
     */
    public static Resets of(Policy policy, Attributes attributes) {
        policy.rules().forEach(attributes::idsOf);
        boolean global = isGlobal(policy.name(), policy.dimensions().isEmpty(), attributes);
        List<String> rules = policy.rules().stream()
                .filter(rule -> global || !rule.dimensions().isEmpty())
                .map(Rule::name)
                .toList();
        return new Resets(rules, attributes);
    }

    /**
     * Returns the reset of an in-flight policy. Checks the attributes against every rule, including those that it does not reset.
     *
     * @throws IllegalArgumentException if a dimension is missing, or if the policy has none and there are attributes
     */
    public static Resets of(InFlightPolicy policy, Attributes attributes) {
        policy.rules().forEach(attributes::idsOf);
        boolean global = isGlobal(policy.name(), policy.dimensions().isEmpty(), attributes);
        List<String> rules = policy.rules().stream()
                .filter(rule -> global || !rule.dimensions().isEmpty())
                .map(InFlightRule::name)
                .toList();
        return new Resets(rules, attributes);
    }

    /**
     * Whether a policy has no dimensions, so that every rule is reset. Then it rejects attributes, because a caller that names an id does
     * not expect to reset the counts of all.
     */
    private static boolean isGlobal(String policy, boolean hasNoDimensions, Attributes attributes) {
        if (hasNoDimensions && !attributes.asMap().isEmpty()) {
            throw new IllegalArgumentException("policy " + policy + " has no dimensions, so it has no counts by "
                    + attributes.asMap().keySet() + "; pass Attributes.none() to reset the counts that all share");
        }
        return hasNoDimensions;
    }

    /** Resets one rule after another; returns whether any call returned true. */
    public boolean each(BiFunction<String, Attributes, Boolean> resetRule) {
        boolean any = false;
        for (String rule : rules) {
            any |= resetRule.apply(rule, attributes);
        }
        return any;
    }

    /** Resets all rules concurrently; completes with whether any call returned true. */
    public CompletionStage<Boolean> eachAsync(BiFunction<String, Attributes, CompletionStage<Boolean>> resetRule) {
        return rules.stream()
                .map(rule -> resetRule.apply(rule, attributes))
                .reduce(
                        CompletableFuture.completedFuture(false),
                        (any, one) -> any.thenCombine(one, Boolean::logicalOr));
    }
}
