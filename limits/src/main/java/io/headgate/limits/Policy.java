package io.headgate.limits;

import io.headgate.limits.Rule.LimitOverride;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.algorithm.Leasing;
import io.headgate.limits.internal.overrides.OverrideIndex;
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
 * @param overrides up to 100 000 other limits for some requests, sorted by rule and attributes. See {@link Builder#override}
 */
public record Policy(
        String name,
        List<Rule> rules,
        Colocation colocation,
        Optional<Duration> lease,
        Optional<Fallback> fallback,
        List<LimitOverride> overrides) {

    /** The default name of the rule of a policy with a single rule. */
    public static final String ONLY_RULE = "limit";

    /**
     * Checks the name, the number of rules, that no two rules share a name, that each override is of a rule and of its kind of limit, and
     * that all limits of a leased policy can be leased.
     */
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
        overrides = OverrideIndex.of(name, rules, overrides);
        if (lease.isPresent()) {
            Leasing.check(name, OverrideIndex.allRules(rules, overrides), lease.get());
        }
    }

    /** A policy without overrides. */
    public Policy(
            String name,
            List<Rule> rules,
            Colocation colocation,
            Optional<Duration> lease,
            Optional<Fallback> fallback) {
        this(name, rules, colocation, lease, fallback, List.of());
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
     * Returns this policy with other overrides, which replace all present ones.
     *
     * @throws IllegalArgumentException if one is not possible; see {@link Builder#override}
     */
    public Policy withOverrides(List<LimitOverride> others) {
        return new Policy(name, rules, colocation, lease, fallback, others);
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

    /** Every attribute that some override requires, once each, in alphabetical order. Requests may lack them. */
    public Set<String> overrideAttributes() {
        return OverrideIndex.attributes(overrides);
    }

    /**
     * Returns attributes in which {@code id} is the value of this policy's single dimension.
     *
     * @throws IllegalArgumentException if the policy has no dimension or several, or the id is empty
     */
    public Attributes attributesOf(String id) {
        return Attributes.ofChecked(onlyDimension(), Bounds.id("id", id));
    }

    private Policy leasedFor(Optional<Duration> longest) {
        Duration time = longest.orElseGet(() -> Leasing.usual(OverrideIndex.allRules(rules, overrides)));
        return new Policy(name, rules, colocation, Optional.of(time), fallback, overrides);
    }

    /** Reads the rules directly, without a set of their dimensions, as every request calls this. */
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
        private final List<LimitOverride> overrides = new ArrayList<>();
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

        /**
         * Adds another limit for requests of a rule that have all of these attributes.
         *
         * <pre>{@code
         * .rule("per-user", Limit.slidingWindow(100, minute), Attributes.USER)
         * .override("per-user", Attributes.of("user", "alice"), Limit.slidingWindow(500, minute))
         * .override("per-user", Attributes.of("plan", "gold"), Limit.slidingWindow(1000, minute))
         * }</pre>
         *
         * <p>If several overrides of a rule match a request, the one with the most dimensions of the rule applies; of these the one with
         * the most attributes; of these the one whose attribute names come first in alphabetical order.
         *
         * @param ruleName the name of a rule, which may be added later
         * @param when 1 to 8 attributes with values of 1 to 1024 characters; they need not be dimensions, and requests may lack them
         * @param limit of the same kind as the limit of the rule
         */
        public Builder override(String ruleName, Attributes when, Limit limit) {
            overrides.add(new LimitOverride(ruleName, when.asMap(), limit));
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
         * <p>The engine in memory shares its counts with no other process, and ignores leases.
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
         * @throws IllegalArgumentException if it has no rule, more than 16, or two of one name; if an override is of no rule or of
         *     another kind of limit, or is there twice; if a rule has overrides by more than 16 sets of attribute names; or if the policy
         *     is leased and a limit can't be: one that counts attempts or shapes, or one that is too short for the lease
         */
        public Policy build() {
            Policy unleased = new Policy(name, rules, colocation, Optional.empty(), fallback, overrides);
            return leased ? unleased.leasedFor(lease) : unleased;
        }
    }
}
