package io.headgate.redis.limits;

import io.headgate.limits.Colocation;
import io.headgate.limits.Policy;

/** What a Cluster can't decide yet: a policy of which one request touches keys in several slots. */
final class ClusterRules {

    private ClusterRules() {}

    /**
     * Refuses such a policy.
     *
     * @param hasIds whether each request has an id, whose key is one more
     */
    static void check(Policy policy, boolean hasIds) {
        if (policy.colocation() == Colocation.SPREAD && (policy.rules().size() > 1 || hasIds)) {
            throw new IllegalArgumentException(
                    "on a Redis Cluster the keys of a request must be in one slot: give policy \""
                            + policy.name() + "\" colocation POLICY, as it has "
                            + (policy.rules().size() > 1 ? policy.rules().size() + " rules" : "requests that have ids")
                            + " and colocation SPREAD");
        }
    }
}
