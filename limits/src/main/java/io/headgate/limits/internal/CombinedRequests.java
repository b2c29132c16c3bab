package io.headgate.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.limits.internal.algorithm.Charge;
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
                    throw sameCount(
                            other,
                            i,
                            policy.name(),
                            rule.name(),
                            ids.stream().map(Quoted::of).toList().toString());
                }
            }
            attributes.add(ofPart);
        }
        return attributes;
    }

    /**
     * The exception for two parts that would be charged to the same count.
     *
     * @param first the index of a part, from 0
     * @param second the index of the other one
     * @param ids the ids of the count, as text
     */
    public static IllegalArgumentException sameCount(int first, int second, String policy, String rule, String ids) {
        return new IllegalArgumentException("parts " + (first + 1) + " and " + (second + 1)
                + " of a combined request are charged to the same count, rule " + rule + " of policy " + policy
                + " for "
                + ids + "; request all permits of a policy and its ids in one part");
    }

    /** The exception for a part whose limiter belongs to another engine. */
    public static IllegalArgumentException notOfEngine(Limiter limiter) {
        return new IllegalArgumentException(
                "the limiter of policy " + limiter.policy().name()
                        + " must be one that this engine created, but is a "
                        + limiter.getClass().getName() + " of another engine");
    }

    /**
     * Returns the attributes of each part of a request, whose decision will be refunded. All parts are checked before the first one is
     * refunded.
     *
     * @throws IllegalArgumentException if the decision is of other policies, if no engine created it, or if a part lacks a dimension
     */
    public static List<Attributes> refundable(CombinedRequest request, CombinedDecision decision) {
        List<String> requested = request.parts().stream()
                .map(part -> part.limiter().policy().name())
                .toList();
        List<String> decided =
                decision.decisions().stream().map(Decision::policyName).toList();
        if (!requested.equals(decided)) {
            throw new IllegalArgumentException("a decision of the policies " + decided
                    + " can't be refunded for a request to the policies " + requested + "; nothing was refunded");
        }
        List<Attributes> attributes = new ArrayList<>();
        for (int i = 0; i < request.parts().size(); i++) {
            CombinedRequest.Part part = request.parts().get(i);
            Policy policy = part.limiter().policy();
            Attributes ofPart = part.request().attributesFor(policy);
            Charge.of(policy, decision.decisions().get(i)).keySet().forEach(ofPart::idsOf);
            attributes.add(ofPart);
        }
        return attributes;
    }
}
