package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.Attributes;
import io.headgate.limits.Colocation;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.internal.algorithm.LimitKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The names of all keys: {@code prefix:kind:policy:rule:ids}, such as {@code hg:sw:api:per-user:alice}.
 *
 * <p>The ids of a rule's dimensions are joined by commas; a global rule has none. Under {@link Colocation#POLICY} the
 * policy stands in braces, which Redis Cluster takes for the hash tag: {@code hg:sw:{api}:per-user:alice}.
 */
public final class Keys {

    private final String prefix;

    public Keys(String prefix) {
        this.prefix = prefix;
    }

    /** The part of a rule's keys that is the same for all ids. */
    public String stem(Policy policy, Rule rule) {
        return prefix + ":" + LimitKind.of(rule.limit()).code() + ":" + tag(policy) + ":" + rule.name() + ":";
    }

    /** The part of the keys of request ids that is the same for all requests to a policy; in the same slot, where that has one. */
    public String idStem(Policy policy) {
        return prefix + ":id:" + tag(policy) + ":";
    }

    /** The key of a request's id in the slot of a rule's key, which has no braces of its own. */
    String idKey(String ruleKey, String idText) {
        return prefix + ":id:{" + ruleKey + "}:" + idText;
    }

    /** The key of the record that a decision of the policy was refunded; in the same slot, where the policy has one. */
    String refundKey(Policy policy, long chargeId) {
        return prefix + ":rf:" + tag(policy) + ":" + text(chargeId);
    }

    /** The same in the slot of a rule's key, which has no braces of its own. */
    String refundKey(String ruleKey, long chargeId) {
        return prefix + ":rf:{" + ruleKey + "}:" + text(chargeId);
    }

    private static String text(long chargeId) {
        return Long.toUnsignedString(chargeId, Character.MAX_RADIX);
    }

    private static String tag(Policy policy) {
        return policy.colocation() == Colocation.POLICY ? "{" + policy.name() + "}" : policy.name();
    }

    /** The channel on which instances publish refunds, resets and changed rules. */
    public String notices() {
        return prefix + ":notices";
    }

    /** What all instances know of a policy's hot keys of a minute; all such keys are in one slot. */
    public String hotKeys(String policy, long minute) {
        return policiesOfHotKeys() + ":" + minute + ":" + policy;
    }

    /** Of which policies there are hot keys. */
    public String policiesOfHotKeys() {
        return prefix + ":{hot}";
    }

    /** Who is there of all instances. */
    public String instances() {
        return prefix + ":instances";
    }

    /** Whether it is the name of a key of ours, and not of a policy, say. */
    public boolean isOurs(String key) {
        return key.startsWith(prefix + ":");
    }

    /** What is written to see whether decisions can be made. */
    public String probe() {
        return prefix + ":probe";
    }

    /** The same in the slot of that key, so that the call goes to the master of the key. */
    public String probe(String beside) {
        int open = beside.indexOf('{');
        int close = beside.indexOf('}', open + 1);
        return probe() + ":{" + (open < 0 || close < 0 ? beside : beside.substring(open + 1, close)) + "}";
    }

    /** The key of a rule for a request. */
    static String key(String stem, Rule rule, Attributes attributes) {
        return switch (rule.dimensions().size()) {
            case 0 -> stem;
            case 1 -> stem.concat(KeyText.of(attributes.idOf(rule)));
            default -> stem + attributes.idsOf(rule).stream().map(KeyText::of).collect(Collectors.joining(","));
        };
    }

    /** The attributes of a request with these ids of a rule: those in its key. */
    public static Attributes attributes(Rule rule, List<String> ids) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < ids.size(); i++) {
            values.put(rule.dimensions().get(i), ids.get(i));
        }
        return Attributes.of(values);
    }
}
