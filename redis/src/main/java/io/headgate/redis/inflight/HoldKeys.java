package io.headgate.redis.inflight;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The names of all keys: {@code prefix:if:{policy}:rule:ids}, such as {@code hg:if:{exports}:per-user:alice}. The policy is in
 * braces, so that in a Cluster all its keys share a slot, in which they are taken together and renewed together.
 *
 * @param prefix what every key begins with
 * @param text writes an id as part of a key, never the same for two
 */
record HoldKeys(String prefix, UnaryOperator<String> text) {

    /** The key of a rule for a request. */
    String key(InFlightPolicy policy, InFlightRule rule, Attributes attributes) {
        List<String> ids = attributes.idsOf(rule);
        return channel(policy.name()) + ":" + rule.name() + ":"
                + ids.stream().map(text).collect(Collectors.joining(","));
    }

    /** The channel on which is told what was given back under a policy. */
    String channel(String policy) {
        return prefix + ":if:{" + policy + "}";
    }
}
