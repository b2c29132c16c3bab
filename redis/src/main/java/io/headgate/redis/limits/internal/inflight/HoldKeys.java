package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The keys of in-flight limits: {@code prefix:if:{policy}:rule:ids}, such as {@code hg:if:{exports}:per-user:alice}. The policy is in
 * braces: in a Cluster all its keys share a hash slot, so one call acquires or renews in all of them.
 *
 * @param prefix the prefix of every key
 * @param text encodes an id as part of a key, injectively
 */
record HoldKeys(String prefix, UnaryOperator<String> text) {

    /** The key of a rule for a request. */
    String key(InFlightPolicy policy, InFlightRule rule, Attributes attributes) {
        List<String> ids = attributes.idsOf(rule);
        return channel(policy.name()) + ":" + rule.name() + ":"
                + ids.stream().map(text).collect(Collectors.joining(","));
    }

    /** The channel on which releases under a policy are published. */
    String channel(String policy) {
        return prefix + ":if:{" + policy + "}";
    }
}
