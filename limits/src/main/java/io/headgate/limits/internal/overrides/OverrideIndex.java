package io.headgate.limits.internal.overrides;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Rule;
import io.headgate.limits.Rule.LimitOverride;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.internal.Bounds;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.RandomAccess;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The overrides of a policy: an immutable list, with hash tables that find the overrides of a request. The list is sorted by rule and
 * attributes, so policies that differ only in the order of their overrides are equal.
 */
public final class OverrideIndex extends AbstractList<LimitOverride> implements RandomAccess {

    private static final int MAX_IN_TEXT = 10;

    private final LimitOverride[] overrides;
    private final int hash;

    /** The overrides by rule, in the order of the rules; only for rules that have overrides. */
    private final RuleOverrides[] byRule;

    /** The names of all attributes that overrides match. */
    private final Set<String> attributes;

    private OverrideIndex(LimitOverride[] overrides, RuleOverrides[] byRule) {
        this.overrides = overrides;
        this.byRule = byRule;
        this.hash = List.of(overrides).hashCode();
        Set<String> names = new TreeSet<>();
        Stream.of(byRule).forEach(ofRule -> ofRule.addAttributes(names));
        this.attributes = Collections.unmodifiableSet(names);
    }

    /**
     * Checks overrides against the rules of a policy, and returns them with their index.
     *
     * @throws IllegalArgumentException if there are too many, one belongs to no rule, has another kind of limit, or is given twice, or
     *     those of a rule match by too many sets of attribute names
     */
    public static List<LimitOverride> of(String policy, List<Rule> rules, List<LimitOverride> overrides) {
        if (overrides.isEmpty()) {
            return List.of();
        }
        Bounds.inRange("number of overrides of policy " + policy, overrides.size(), 0, Bounds.MAX_OVERRIDES);
        List<Sorted> sorted = new ArrayList<>(overrides.size());
        for (LimitOverride override : overrides) {
            sorted.add(new Sorted(ruleOf(policy, rules, override), text(override), override));
        }
        sorted.sort(Comparator.comparingInt(Sorted::rule).thenComparing(Sorted::text));
        @Nullable RuleOverrides[] byRule = new RuleOverrides[rules.size()];
        for (Sorted one : sorted) {
            RuleOverrides ofRule = byRule[one.rule];
            if (ofRule == null) {
                ofRule = new RuleOverrides(policy, one.rule, rules.get(one.rule));
                byRule[one.rule] = ofRule;
            }
            ofRule.add(one.override);
        }
        return new OverrideIndex(
                sorted.stream().map(Sorted::override).toArray(LimitOverride[]::new),
                Stream.of(byRule).filter(one -> one != null).toArray(RuleOverrides[]::new));
    }

    /** An override with its sort key: the index of its rule, and the text of its attributes in the order of their names. */
    private record Sorted(int rule, String text, LimitOverride override) {}

    private static String text(LimitOverride override) {
        Map<String, String> when = override.when();
        return (when.size() == 1 ? when : new TreeMap<>(when)).toString();
    }

    private static int ruleOf(String policy, List<Rule> rules, LimitOverride override) {
        for (int i = 0; i < rules.size(); i++) {
            if (rules.get(i).name().equals(override.rule())) {
                return i;
            }
        }
        throw new IllegalArgumentException(
                "policy " + policy + " has an override of rule " + override.rule() + ", which it does not have; it has "
                        + rules.stream().map(Rule::name).toList());
    }

    /** Returns the rules of a policy, and for each limit of an override the rule with that limit. */
    public static List<Rule> allRules(List<Rule> rules, List<LimitOverride> overrides) {
        if (!(overrides instanceof OverrideIndex index)) {
            return rules;
        }
        Stream<EffectiveRule> others = Stream.of(index.byRule).flatMap(ofRule -> ofRule.rules().stream());
        return Stream.concat(rules.stream(), others.map(effective -> effective.rule))
                .toList();
    }

    /**
     * Returns the overrides of a request as a key, which is equal for all requests with the same limits; null if no override applies.
     *
     * @param attributes the attributes of the request
     * @param decision the decision on the request, for a refund; null for a new request. If an override with the limit of that decision
     *     still exists, it applies even if the attributes do not match it
     */
    @Nullable
    Object find(Attributes attributes, @Nullable Decision decision) {
        Map<String, String> values = attributes.asMap();
        Object found = null;
        for (RuleOverrides ofRule : byRule) {
            EffectiveRule effective = decision == null ? null : decidedBy(ofRule, decision);
            if (effective == null) {
                effective = ofRule.find(values);
            }
            if (effective != null) {
                found = found == null ? effective : with(found, effective);
            }
        }
        return found;
    }

    private static @Nullable EffectiveRule decidedBy(RuleOverrides ofRule, Decision decision) {
        for (RuleDecision one : decision.rules()) {
            if (one.rule().name().equals(ofRule.name())) {
                return ofRule.withLimit(one.rule().limit());
            }
        }
        return null;
    }

    private static List<EffectiveRule> with(Object found, EffectiveRule another) {
        List<EffectiveRule> all = new ArrayList<>(effective(found));
        all.add(another);
        return all;
    }

    @SuppressWarnings("unchecked") // a key is an effective rule, or a list of several
    private static List<EffectiveRule> effective(Object key) {
        return key instanceof EffectiveRule one ? List.of(one) : (List<EffectiveRule>) key;
    }

    /** Returns the rules of a policy with the overrides of a key. */
    static List<Rule> apply(Object key, List<Rule> rules) {
        List<Rule> effective = new ArrayList<>(rules);
        effective(key).forEach(one -> effective.set(one.index, one.rule));
        return effective;
    }

    /** Returns the names of the attributes that overrides match, sorted. */
    public static Set<String> attributes(List<LimitOverride> overrides) {
        return overrides instanceof OverrideIndex index ? index.attributes : Set.of();
    }

    /** Returns the rules of a policy with the overrides that apply to a request. */
    public static List<Rule> effectiveRules(List<Rule> rules, List<LimitOverride> overrides, Attributes attributes) {
        Object found = overrides instanceof OverrideIndex index ? index.find(attributes, null) : null;
        return found == null ? rules : apply(found, rules);
    }

    /** Whether an override gives a rule this limit. */
    boolean has(Rule effective) {
        for (RuleOverrides ofRule : byRule) {
            EffectiveRule one = ofRule.name().equals(effective.name()) ? ofRule.withLimit(effective.limit()) : null;
            if (one != null && one.rule.equals(effective)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public LimitOverride get(int index) {
        return overrides[index];
    }

    @Override
    public int size() {
        return overrides.length;
    }

    @Override
    public boolean equals(Object other) {
        boolean mayBeEqual = !(other instanceof OverrideIndex that) || that.hash == hash;
        return other == this || (mayBeEqual && super.equals(other));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** Returns the first overrides as text, and the number of the others. */
    @Override
    public String toString() {
        return size() <= MAX_IN_TEXT
                ? super.toString()
                : subList(0, MAX_IN_TEXT) + " and " + (size() - MAX_IN_TEXT) + " more";
    }
}
