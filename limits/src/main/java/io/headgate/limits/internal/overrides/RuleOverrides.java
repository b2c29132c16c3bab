package io.headgate.limits.internal.overrides;

import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import io.headgate.limits.Rule.LimitOverride;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.algorithm.LimitKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The overrides of one rule. Overrides by the same attribute names share a hash table, so a request costs one lookup for each set of
 * names, whatever the number of overrides. The tables are in the order of precedence, and the first that has the request's values
 * decides.
 */
final class RuleOverrides {

    private final String policy;
    private final int index;
    private final Rule rule;
    private final Map<Limit, EffectiveRule> byLimit = new HashMap<>();
    private final List<Table> tables = new ArrayList<>();

    RuleOverrides(String policy, int index, Rule rule) {
        this.policy = policy;
        this.index = index;
        this.rule = rule;
    }

    /** The overrides that match the same attribute names, by the values: a string for a single attribute, otherwise a list. */
    private record Table(List<String> names, Map<Object, EffectiveRule> byValues) {

        @Nullable
        EffectiveRule find(Map<String, String> attributes) {
            String first = attributes.get(names.get(0));
            if (first == null) {
                return null;
            }
            if (names.size() == 1) {
                return byValues.get(first);
            }
            List<String> values = new ArrayList<>(names.size());
            values.add(first);
            for (int i = 1; i < names.size(); i++) {
                String value = attributes.get(names.get(i));
                if (value == null) {
                    return null;
                }
                values.add(value);
            }
            return byValues.get(values);
        }
    }

    /**
     * Adds an override.
     *
     * @throws IllegalArgumentException if its limit is of another kind, there is one for the same attributes, or the sets of attribute
     *     names are too many
     */
    void add(LimitOverride override) {
        Map<String, String> when = new TreeMap<>(override.when());
        List<String> names = List.copyOf(when.keySet());
        List<String> values = List.copyOf(when.values());
        requireSameKind(override);
        EffectiveRule effective = byLimit.computeIfAbsent(
                override.limit(), limit -> new EffectiveRule(index, rule.withLimit(limit), limit.equals(rule.limit())));
        Object key = values.size() == 1 ? values.get(0) : values;
        if (table(names).byValues().put(key, effective) != null) {
            throw new IllegalArgumentException(of(override) + " is there twice; remove one of them");
        }
    }

    private Table table(List<String> names) {
        for (Table table : tables) {
            if (table.names().equals(names)) {
                return table;
            }
        }
        if (tables.size() == Bounds.MAX_OVERRIDE_NAMES) {
            throw new IllegalArgumentException("rule " + rule.name() + " of policy " + policy
                    + " must have overrides by at most " + Bounds.MAX_OVERRIDE_NAMES
                    + " sets of attribute names, as each request looks up each set, but " + names + " is one more than "
                    + tables.stream().map(Table::names).toList());
        }
        Table another = new Table(names, new HashMap<>());
        tables.add(another);
        // Most dimensions first, then most attributes, then the names in alphabetical order.
        tables.sort(Comparator.comparingInt(this::dimensionsIn)
                .thenComparingInt(table -> table.names().size())
                .reversed()
                .thenComparing(table -> String.join(" ", table.names())));
        return another;
    }

    /** The number of attribute names of a table that are dimensions of the rule. */
    private int dimensionsIn(Table table) {
        return (int) table.names().stream().filter(rule.dimensions()::contains).count();
    }

    /**
     * Checks the kind of limit. Only a shaper has delays that callers wait for, so an override can't turn it into a meter, or a meter
     * into it.
     */
    private void requireSameKind(LimitOverride override) {
        boolean isOtherMode = override.limit() instanceof LeakyBucket bucket
                && rule.limit() instanceof LeakyBucket ofRule
                && bucket.mode() != ofRule.mode();
        if (isOtherMode || LimitKind.of(override.limit()) != LimitKind.of(rule.limit())) {
            throw new IllegalArgumentException(of(override) + " must have a limit of the same kind as the rule, "
                    + rule.limit() + ", was " + override.limit());
        }
    }

    private String of(LimitOverride override) {
        return "the override of rule " + rule.name() + " of policy " + policy + " for " + override.when();
    }

    /** Returns the rule with the limit for a request; null if no override applies. */
    @Nullable
    EffectiveRule find(Map<String, String> attributes) {
        for (int i = 0; i < tables.size(); i++) {
            EffectiveRule found = tables.get(i).find(attributes);
            if (found != null) {
                return found.isUnchanged ? null : found;
            }
        }
        return null;
    }

    /** Returns the rule with that limit; null if no override has it. */
    @Nullable
    EffectiveRule withLimit(Limit limit) {
        EffectiveRule found = byLimit.get(limit);
        return found == null || found.isUnchanged ? null : found;
    }

    /** Returns the rule once for each limit of its overrides. */
    Collection<EffectiveRule> rules() {
        return byLimit.values();
    }

    /** Adds the names of the attributes that the overrides match to a set. */
    void addAttributes(Set<String> names) {
        tables.forEach(table -> names.addAll(table.names()));
    }

    /** The name of the rule. */
    String name() {
        return rule.name();
    }
}
