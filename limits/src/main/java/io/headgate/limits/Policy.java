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
 * A named set of rules. A request is admitted and charged under all of them, or it is denied and charged under none, except for rules
 * that {@linkplain Rule#countingAttempts() count attempts} or are {@linkplain Rule#inShadow() in shadow mode}.
 *
 * <pre>{@code
 * Policy api = Policy.named("api")
 *         .rule("global", Limit.tokenBucket(2000, 1000, Duration.ofSeconds(1)))
 *         .rule("per-user", Limit.slidingWindow(100, Duration.ofMinutes(1)), Attributes.USER)
 *         .build();
 * }</pre>
 *
 * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit; part of the keys, so a renamed policy starts new
 *     counts
 * @param rules 1 to 16 rules, in the order in which decisions list them
 * @param colocation whether its keys share a hash slot of a Redis Cluster
 * @param lease how long an instance may keep permits that it has charged in advance: 10 ms to 1 minute, in whole milliseconds. If
 *     empty, permits are not leased, and the store counts each request. See {@link Builder#leased()}
 * @param fallback how requests are decided while Redis does not reply; empty for the fallback of the engine
 * @param overrides up to 100 000 overrides, which give some requests other limits; sorted by rule and attributes. See {@link
 *     Builder#override}
 * @param pausable whether {@link Limiter#pause} can pause its requests
 */
public record Policy(
        String name,
        List<Rule> rules,
        Colocation colocation,
        Optional<Duration> lease,
        Optional<Fallback> fallback,
        List<LimitOverride> overrides,
        boolean pausable) {

    /** The default name of the rule of a policy with a single rule. */
    public static final String ONLY_RULE = "limit";

    /**
     * Checks the name, the number of rules, and that no two rules share a name. Also checks that each override belongs to a rule and
     * has its kind of limit, and that all limits of a leased policy can be leased.
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

    /** Creates a policy without a lease, a fallback of its own, and overrides, which can't be paused. */
    public Policy(String name, List<Rule> rules, Colocation colocation) {
        this(name, rules, colocation, Optional.empty(), Optional.empty(), List.of(), false);
    }

    /** Returns a builder of a policy with this name. */
    public static Builder named(String name) {
        return new Builder(name);
    }

    /** Returns a policy with one rule, named {@value #ONLY_RULE}. */
    public static Policy of(String name, Limit limit, String... dimensions) {
        return named(name).rule(ONLY_RULE, limit, dimensions).build();
    }

    /**
     * Returns this policy with these overrides instead of its own.
     *
     * @throws IllegalArgumentException if an override is invalid; see {@link Builder#override}
     */
    public Policy withOverrides(List<LimitOverride> others) {
        return new Policy(name, rules, colocation, lease, fallback, others, pausable);
    }

    /**
     * Returns the rule of that name.
     *
     * @throws IllegalArgumentException if there is no such rule
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
     * Checks that {@link Limiter#update} can replace this policy by another version of it: the current counts must have the same
     * meaning under both.
     *
     * @throws IllegalArgumentException if the version has another name or colocation, or a rule of the same name has other dimensions
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

    /** Returns the dimensions of all rules, each once, in the order of the rules. */
    public Set<String> dimensions() {
        Set<String> dimensions = new LinkedHashSet<>();
        rules.forEach(rule -> dimensions.addAll(rule.dimensions()));
        return dimensions;
    }

    /** Returns the names of all attributes that overrides match, each once, in alphabetical order. Requests may lack them. */
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
        return new Policy(name, rules, colocation, Optional.of(time), fallback, overrides, pausable);
    }

    /** Returns the policy's single dimension. Creates no set of dimensions, because every request calls this. */
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

    /** Builds a policy. Not safe for use by several threads. */
    public static final class Builder {

        private final String name;
        private final List<Rule> rules = new ArrayList<>();
        private final List<LimitOverride> overrides = new ArrayList<>();
        private Colocation colocation = Colocation.SPREAD;
        private boolean leased;
        private Optional<Duration> lease = Optional.empty();
        private Optional<Fallback> fallback = Optional.empty();
        private boolean pausable;

        private Builder(String name) {
            this.name = name;
        }

        /** Adds a rule that counts by the given dimensions; without dimensions, it counts all requests as one. */
        public Builder rule(String ruleName, Limit limit, String... dimensions) {
            return rule(Rule.of(ruleName, limit, dimensions));
        }

        /** Adds a rule. */
        public Builder rule(Rule rule) {
            rules.add(rule);
            return this;
        }

        /**
         * Adds an override: another limit of a rule, for requests that have all of these attributes.
         *
         * <pre>{@code
         * .rule("per-user", Limit.slidingWindow(100, minute), Attributes.USER)
         * .override("per-user", Attributes.of("user", "alice"), Limit.slidingWindow(500, minute))
         * .override("per-user", Attributes.of("plan", "gold"), Limit.slidingWindow(1000, minute))
         * }</pre>
         *
         * <p>If several overrides of a rule match a request, the one that names the most dimensions of the rule applies. Among equals,
         * the one with the most attributes applies, then the one whose attribute names come first in alphabetical order.
         *
         * @param ruleName the name of a rule, which may be added later
         * @param when 1 to 8 attributes with values of 1 to 1024 characters, which a request must have; they need not be dimensions
         * @param limit a limit of the same kind as the limit of the rule; a leaky bucket must also have the same mode
         */
        public Builder override(String ruleName, Attributes when, Limit limit) {
            overrides.add(new LimitOverride(ruleName, when.asMap(), limit));
            return this;
        }

        /** Sets whether the keys share a hash slot of a Redis Cluster; {@link Colocation#SPREAD} by default. */
        public Builder colocate(Colocation where) {
            this.colocation = where;
            return this;
        }

        /**
         * Lets instances lease permits: for ids with frequent requests, an instance charges permits in advance and spends them without
         * a call to Redis. No limit is ever exceeded.
         *
         * <p>The price is that permits may be unspent in one instance while another one denies requests. Sliding windows are also
         * longer by the lease, and buckets smaller by the permits that are refilled during it.
         *
         * <p>The lease is a fiftieth of the shortest window, or a tenth of the shortest time in which a bucket refills, whichever is less;
         * at most 5 seconds, and at least 10 ms. It does not depend on calendar windows.
         *
         * <p>The engine in memory shares its counts with no other process, and ignores leases.
         */
        public Builder leased() {
            leased = true;
            lease = Optional.empty();
            return this;
        }

        /**
         * Lets instances lease permits for a given time; see {@link #leased()}. A longer lease needs fewer calls, but leaves more
         * permits unspent.
         *
         * @param longest 10 ms to 1 minute, in whole milliseconds; at most the length of each sliding window, which together with the
         *     lease must not exceed 366 days, and less than half of the time in which each bucket refills
         */
        public Builder leased(Duration longest) {
            leased = true;
            lease = Optional.of(longest);
            return this;
        }

        /** Sets how requests are decided while Redis does not reply; by default, the fallback of the engine decides. */
        public Builder fallback(Fallback then) {
            fallback = Optional.of(then);
            return this;
        }

        /** Lets {@link Limiter#pause} pause requests. An engine on Redis then polls for pauses once per second. */
        public Builder pausable() {
            pausable = true;
            return this;
        }

        /**
         * Builds the policy.
         *
         * @throws IllegalArgumentException if the policy has no rule, more than 16, or two of the same name; if an override belongs to
         *     no rule, has another kind of limit, or is given twice; if the overrides of a rule match by more than 16 sets of attribute
         *     names; or if the policy is leased and a rule counts attempts, bans, is a shaper, or has a window or bucket that does not allow the
         *     lease
         */
        public Policy build() {
            Policy unleased = new Policy(name, rules, colocation, Optional.empty(), fallback, overrides, pausable);
            return leased ? unleased.leasedFor(lease) : unleased;
        }
    }
}
