package io.headgate.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.limits.internal.algorithm.LimitKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Checks requests to several policies before anything is sent or charged. */
public final class CombinedRequests {

    private CombinedRequests() {}

    private record Count(String policy, String rule, LimitKind kind, List<String> ids) {}

    /**
     * Returns the attributes of each part of a request.
     *
     * @param policies the version of the policy of each part
     * @throws IllegalArgumentException if a part lacks a dimension, two parts would be charged to the same count, or the policies have
     *     too many rules
     */
    public static List<Attributes> attributes(CombinedRequest request, List<Policy> policies) {
        int rules = policies.stream().mapToInt(policy -> policy.rules().size()).sum();
        if (rules > Bounds.MAX_RULES) {
            throw new IllegalArgumentException("the policies of a combined request must have at most "
                    + Bounds.MAX_RULES + " rules together, but "
                    + policies.stream().map(Policy::name).collect(Collectors.joining(", ")) + " have " + rules);
        }
        List<Attributes> attributes = new ArrayList<>(policies.size());
        Map<Count, Integer> parts = new HashMap<>();
        for (int i = 0; i < policies.size(); i++) {
            Policy policy = policies.get(i);
            Attributes ofPart = request.parts().get(i).request().attributesFor(policy);
            for (Rule rule : policy.rules()) {
                List<String> ids = ofPart.idsOf(rule);
                Integer other =
                        parts.putIfAbsent(new Count(policy.name(), rule.name(), LimitKind.of(rule.limit()), ids), i);
                if (other != null) {
                    throw new IllegalArgumentException("parts " + (other + 1) + " and " + (i + 1)
                            + " of a combined request are charged to the same count, rule " + rule.name()
                            + " of policy " + policy.name() + " for "
                            + ids.stream().map(Quoted::of).toList()
                            + "; request all permits of a policy and its ids in one part");
                }
            }
            attributes.add(ofPart);
        }
        return attributes;
    }

    /** The exception for a part whose limiter belongs to another engine. */
    public static IllegalArgumentException notOfEngine(Limiter limiter) {
        return new IllegalArgumentException(
                "the limiter of policy " + limiter.policy().name()
                        + " must be one that this engine created, but is a "
                        + limiter.getClass().getName() + " of another engine");
    }

    /**
     * Checks that a decision is of a request, so that it can be refunded.
     *
     * @throws IllegalArgumentException if it has another number of decisions, or one is of another policy
     */
    public static void requireDecisionOf(CombinedRequest request, CombinedDecision decision) {
        List<String> requested = request.parts().stream()
                .map(part -> part.limiter().policy().name())
                .toList();
        List<String> decided =
                decision.decisions().stream().map(Decision::policyName).toList();
        if (!requested.equals(decided)) {
            throw new IllegalArgumentException("a decision of the policies " + decided
                    + " can't be refunded for a request to the policies " + requested + "; nothing was refunded");
        }
    }
}
