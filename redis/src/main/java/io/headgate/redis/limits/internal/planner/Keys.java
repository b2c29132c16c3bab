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
 * The names of all keys of limits. The key of a rule is {@code prefix:kind:policy:rule:ids}, such as {@code hg:sw:api:per-user:alice}.
 *
 * <p>The ids of a rule's dimensions are joined by commas; a global rule has none. Under {@link Colocation#POLICY} the policy is in braces,
 * which Redis Cluster uses as the hash tag: {@code hg:sw:{api}:per-user:alice}.
 */
public final class Keys {

    private final String prefix;

    public Keys(String prefix) {
        this.prefix = prefix;
    }

    /**
     * The names of the keys of a shadow, such as {@code hg:shadow:17:sw:api:per-user:alice}. They never are those of a policy, since {@code
     * shadow} is no kind.
     */
    public Keys ofShadow(String shadow) {
        return new Keys(prefix + ":shadow:" + shadow);
    }

    /** The part of a rule's keys that is the same for all ids. */
    public String stem(Policy policy, Rule rule) {
        return prefix + ":" + LimitKind.of(rule.limit()).code() + ":" + tag(policy) + ":" + rule.name() + ":";
    }

    /** The part of the keys of request ids that is the same for all requests to a policy. It has the policy's hash tag, if there is one. */
    public String idStem(Policy policy) {
        return prefix + ":id:" + tag(policy) + ":";
    }

    /** The key of a request's id in the slot of a rule's key, which must have no braces. */
    String idKey(String ruleKey, String idText) {
        return prefix + ":id:{" + ruleKey + "}:" + idText;
    }

    /** The key of the record that a decision of the policy was refunded. It has the policy's hash tag, if there is one. */
    String refundKey(Policy policy, long chargeId) {
        return prefix + ":rf:" + tag(policy) + ":" + text(chargeId);
    }

    /** The key of the record that a decision was refunded, in the slot of a rule's key, which must have no braces. */
    String refundKey(String ruleKey, long chargeId) {
        return prefix + ":rf:{" + ruleKey + "}:" + text(chargeId);
    }

    /** The key of the denials of a rule's key, in the slot of that key; see ban_rules.lua. */
    String denialKey(String ruleKey) {
        int kind = prefix.length() + 1;
        int policy = ruleKey.indexOf(':', kind) + 1;
        return prefix + ":dn:" + (ruleKey.charAt(policy) == '{' ? ruleKey.substring(kind) : "{" + ruleKey + "}");
    }

    private static String text(long chargeId) {
        return Long.toUnsignedString(chargeId, Character.MAX_RADIX);
    }

    private static String tag(Policy policy) {
        return policy.colocation() == Colocation.POLICY ? "{" + policy.name() + "}" : policy.name();
    }

    /** The channel on which instances publish refunds, resets and changed rules. */
    public String invalidationChannel() {
        return prefix + ":notices";
    }

    /** The key of the pauses of all policies. */
    public String pauses() {
        return prefix + ":pauses";
    }

    /** The channel on which each change of the pauses is published. */
    public String pauseChannel() {
        return prefix + ":pauses";
    }

    /** The keys of the bans, in the order of their scripts. All of them are in one slot. */
    public String[] bans() {
        String stem = prefix + ":{bans}:";
        return new String[] {
            stem + "state", stem + "entries", stem + "changes", stem + "lifted", stem + "ends", stem + "tips"
        };
    }

    /** The channel on which each change of the bans is published. */
    public String banChannel() {
        return prefix + ":bans";
    }

    /** The key of the reports of all instances about the hot keys of a policy in a minute. All keys of such reports are in one slot. */
    public String hotKeys(String policy, long minute) {
        return policiesOfHotKeys() + ":" + minute + ":" + policy;
    }

    /** The key of the set of policies with hot keys. */
    public String policiesOfHotKeys() {
        return prefix + ":{hot}";
    }

    /** The key of the set of registered instances. */
    public String instances() {
        return prefix + ":instances";
    }

    /** Whether a name is that of a key with this prefix. Failures may name something else in place of a key, such as a policy. */
    public boolean hasPrefix(String key) {
        return key.startsWith(prefix + ":");
    }

    /** The key that probes write to check whether Redis accepts writes. */
    public String probe() {
        return prefix + ":probe";
    }

    /** The key of probes in the slot of another key, so that a probe is sent to the master of that key. */
    public String probe(String other) {
        int open = other.indexOf('{');
        int close = other.indexOf('}', open + 1);
        return probe() + ":{" + (open < 0 || close < 0 ? other : other.substring(open + 1, close)) + "}";
    }

    /** The key of a rule for a request. */
    static String key(String stem, Rule rule, Attributes attributes) {
        return switch (rule.dimensions().size()) {
            case 0 -> stem;
            case 1 -> stem.concat(KeyText.of(attributes.idOf(rule)));
            default -> stem + attributes.idsOf(rule).stream().map(KeyText::of).collect(Collectors.joining(","));
        };
    }

    /** The attributes for which a rule has these ids, in the order of its dimensions. */
    public static Attributes attributes(Rule rule, List<String> ids) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < ids.size(); i++) {
            values.put(rule.dimensions().get(i), ids.get(i));
        }
        return Attributes.of(values);
    }
}
