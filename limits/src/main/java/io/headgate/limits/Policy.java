package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.algorithm.Leasing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A named set of rules that decide together: a request is admitted by all of them and charged to all, or denied and
 * charged to none.
 *
 * <pre>{@code
 * Policy api = Policy.named("api")
 *         .rule("global", Limit.tokenBucket(2000, 1000, Duration.ofSeconds(1)))
 *         .rule("per-user", Limit.slidingWindow(100, Duration.ofMinutes(1)), Attributes.USER)
 *         .build();
 * }</pre>
 *
 * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, beginning with a letter or digit; part of the keys, so a
 *     renamed policy starts new counts
 * @param rules 1 to 16, in the order in which decisions list them
 * @param colocation where its keys lie in a Redis Cluster
 * @param lease how long permits are leased that instances spend by themselves; empty where each request is counted when
 *     it is made. See {@link Builder#leased()}
 * @param fallback what is answered while Redis does not answer; empty where the engine says it
 */
public record Policy(
        String name, List<Rule> rules, Colocation colocation, Optional<Duration> lease, Optional<Fallback> fallback) {

    /** The name of the rule of a policy that has only one and was not told another name. */
    public static final String ONLY_RULE = "limit";

    /** Checks the name, the number of rules, that no two rules share a name, and that all can be leased if they are to be. */
    public Policy {
        Bounds.name("name of a policy", name);
        Objects.requireNonNull(colocation, "colocation");
        Objects.requireNonNull(fallback, "fallback");
        rules = List.copyOf(rules);
        Bounds.inRange("number of rules of policy " + name, rules.size(), 1, Bounds.MAX_RULES);
        Set<String> names = new HashSet<>();
        for (Rule rule : rules) {
            if (!names.add(rule.name())) {
                throw new IllegalArgumentException("policy " + name + " has two rules named " + rule.name());
            }
        }
        if (lease.isPresent()) {
            Leasing.check(name, rules, lease.get());
        }
    }

    /** A policy that counts each request when it is made. */
    public Policy(String name, List<Rule> rules, Colocation colocation) {
        this(name, rules, colocation, Optional.empty(), Optional.empty());
    }

    /** Begins a policy without rules. */
    public static Builder named(String name) {
        return new Builder(name);
    }

    /** A policy of one rule, named {@value #ONLY_RULE}. */
    public static Policy of(String name, Limit limit, String... dimensions) {
        return named(name).rule(ONLY_RULE, limit, dimensions).build();
    }

    /**
     * The rule of that name.
     *
     * @throws IllegalArgumentException when there is none
     */
    public Rule rule(String ruleName) {
        for (Rule rule : rules) {
            if (rule.name().equals(ruleName)) {
                return rule;
            }
        }
        throw new IllegalArgumentException("policy " + name + " has no rule " + ruleName + "; it has "
                + rules.stream().map(Rule::name).toList());
    }

    /**
     * Checks that a limiter of this policy can be updated to another version of it, so that the permits counted so far mean the same.
     *
     * @throws IllegalArgumentException when the version has another name or colocation, or a rule of the same name counts by other
     *     dimensions
     */
    public void requireUpdatable(Policy version) {
        if (!version.name.equals(name)) {
            throw new IllegalArgumentException("a limiter of policy " + name + " can't be updated to policy "
                    + version.name + "; create another limiter");
        }
        if (version.colocation != colocation) {
            throw new IllegalArgumentException("the colocation of policy " + name + " can't change from " + colocation
                    + " to " + version.colocation
                    + "; its keys would have other names, so give the policy another name");
        }
        for (Rule updated : version.rules) {
            for (Rule rule : rules) {
                if (rule.name().equals(updated.name()) && !rule.dimensions().equals(updated.dimensions())) {
                    throw new IllegalArgumentException("the dimensions of rule " + rule.name() + " of policy " + name
                            + " can't change from " + rule.dimensions() + " to " + updated.dimensions()
                            + "; the rule would continue from counts of something else, so give it another name");
                }
            }
        }
    }

    /** Every dimension that some rule counts by, once each, in the order of the rules. */
    public Set<String> dimensions() {
        Set<String> dimensions = new LinkedHashSet<>();
        rules.forEach(rule -> dimensions.addAll(rule.dimensions()));
        return dimensions;
    }

    /**
     * Returns attributes in which {@code id} is the value of this policy's single dimension.
     *
     * @throws IllegalArgumentException if the policy has no dimension or several, or the id is empty
     */
    public Attributes attributesOf(String id) {
        return Attributes.ofChecked(onlyDimension(), Bounds.id("id", id));
    }

    /** Looks at the rules as they are, and makes no set of their dimensions: this is asked with every request. */
    private String onlyDimension() {
        if (rules.size() == 1 && rules.get(0).dimensions().size() == 1) {
            return rules.get(0).dimensions().get(0);
        }
        String only = null;
        for (int i = 0; i < rules.size(); i++) {
            List<String> dimensions = rules.get(i).dimensions();
            for (int j = 0; j < dimensions.size(); j++) {
                String dimension = dimensions.get(j);
                if (only != null && !only.equals(dimension)) {
                    throw new IllegalArgumentException("policy " + name + " counts by " + dimensions()
                            + ", so a single id is not enough; pass Attributes with all of them");
                }
                only = dimension;
            }
        }
        if (only == null) {
            throw new IllegalArgumentException("policy " + name
                    + " has no dimensions, so it takes no id; pass PermitRequest.global() or Attributes.none()");
        }
        return only;
    }

    /** Collects the rules of a policy. Not safe for use by several threads. */
    public static final class Builder {

        private final String name;
        private final List<Rule> rules = new ArrayList<>();
        private Colocation colocation = Colocation.SPREAD;
        private boolean leased;
        private Optional<Duration> lease = Optional.empty();
        private Optional<Fallback> fallback = Optional.empty();

        private Builder(String name) {
            this.name = name;
        }

        /** Adds a rule counted by the given dimensions; none of them makes it global. */
        public Builder rule(String ruleName, Limit limit, String... dimensions) {
            return rule(Rule.of(ruleName, limit, dimensions));
        }

        /** Adds a rule. */
        public Builder rule(Rule rule) {
            rules.add(rule);
            return this;
        }

        /** Chooses where the keys lie in a Redis Cluster; {@link Colocation#SPREAD} by default. */
        public Builder colocate(Colocation where) {
            this.colocation = where;
            return this;
        }

        /**
         * Lets instances lease permits of ids that are asked for often, and spend them by themselves. No limit is ever
         * exceeded for that; what it costs is that some permits may lie unspent where others are denied, and that sliding
         * windows are longer and bursts smaller by the lease. For as long as costs little of any rule: a fiftieth of the shortest
         * window, a tenth of what the shortest burst takes to refill, at most 5 seconds.
         *
         * <p>The engine in memory has nobody to share with, and counts as ever.
         */
        public Builder leased() {
            leased = true;
            lease = Optional.empty();
            return this;
        }

        /**
         * The same for so long: the longer, the fewer calls, and the more may lie unspent.
         *
         * @param longest 10 ms to 1 minute, in whole milliseconds; at most as long as a sliding window, and as half of a
         *     burst takes to refill
         */
        public Builder leased(Duration longest) {
            leased = true;
            lease = Optional.of(longest);
            return this;
        }

        /** What is answered while Redis does not answer; what the engine says by default. */
        public Builder fallback(Fallback then) {
            fallback = Optional.of(then);
            return this;
        }

        /**
         * The policy.
         *
         * @throws IllegalArgumentException when it has no rule, more than 16, or two of one name; or is to be leased and has a
         *     rule that can't be, one that counts attempts or shapes, or not for so long
         */
        public Policy build() {
            Optional<Duration> forSoLong =
                    leased ? lease.or(() -> Optional.of(Leasing.usual(rules))) : Optional.empty();
            return new Policy(name, rules, colocation, forSoLong, fallback);
        }
    }
}
