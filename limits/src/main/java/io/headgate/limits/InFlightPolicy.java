package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A named set of in-flight limits, its rules. A hold takes permits of every rule, or of none.
 *
 * <pre>{@code
 * InFlightPolicy exports = InFlightPolicy.named("exports")
 *         .rule("global", 100)
 *         .rule("per-user", 3, Attributes.USER)
 *         .build();
 * }</pre>
 *
 * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit; part of the keys. A {@link Policy} may have the same
 *     name; they do not share anything
 * @param rules 1 to 16 rules, in the order in which results list them
 * @param lease how long a hold lasts without a renewal, for example after its process has crashed: 1 second to 1 hour, in whole
 *     milliseconds. The engine renews its holds each time a third of the lease has passed
 * @param atMost how long a hold lasts at most, even if it is renewed: from the lease to 366 days, in whole milliseconds; empty for no
 *     bound
 * @param fallback how requests are decided while Redis does not reply; empty for the fallback of the engine
 */
public record InFlightPolicy(
        String name, List<InFlightRule> rules, Duration lease, Optional<Duration> atMost, Optional<Fallback> fallback) {

    /** The default lease. */
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

    /** Checks the name, the durations, the number of rules, and that no two rules share a name. */
    public InFlightPolicy {
        Bounds.name("name of a policy", name);
        Bounds.wholeMillis("lease", lease, Bounds.MIN_HOLD_LEASE, Bounds.MAX_HOLD_LEASE);
        Duration shortest = lease;
        Objects.requireNonNull(fallback, "fallback");
        atMost.ifPresent(longest -> Bounds.wholeMillis("atMost", longest, shortest, Bounds.MAX_WINDOW));
        rules = List.copyOf(rules);
        Bounds.inRange("number of rules of policy " + name, rules.size(), 1, Bounds.MAX_RULES);
        Set<String> names = new HashSet<>();
        for (InFlightRule rule : rules) {
            if (!names.add(rule.name())) {
                throw new IllegalArgumentException("policy " + name + " has two rules named " + rule.name());
            }
        }
    }

    /**
     * Checks that {@link InFlightLimiter#update} can replace this policy by another version of it.
     *
     * @throws IllegalArgumentException if the version has another name, or a rule of the same name has other dimensions
     */
    public void requireUpdatable(InFlightPolicy version) {
        if (!version.name.equals(name)) {
            throw new IllegalArgumentException("a limiter of policy " + name + " can't be updated to policy "
                    + version.name + "; create another limiter");
        }
        for (InFlightRule updated : version.rules) {
            for (InFlightRule rule : rules) {
                if (rule.name().equals(updated.name()) && !rule.dimensions().equals(updated.dimensions())) {
                    throw new IllegalArgumentException(
                            "the dimensions of rule " + rule.name() + " of policy " + name
                                    + " can't change from " + rule.dimensions() + " to " + updated.dimensions()
                                    + "; the rule would count permits that are held for something else, so give it another name");
                }
            }
        }
    }

    /** Returns a builder of a policy with this name. */
    public static Builder named(String name) {
        return new Builder(name);
    }

    /** Returns a policy with one rule, named {@value Policy#ONLY_RULE}, and the default lease. */
    public static InFlightPolicy of(String name, long permits, String... dimensions) {
        return named(name).rule(Policy.ONLY_RULE, permits, dimensions).build();
    }

    /**
     * Returns the rule of that name.
     *
     * @throws IllegalArgumentException if there is no such rule
     */
    public InFlightRule rule(String ruleName) {
        return rules.stream()
                .filter(rule -> rule.name().equals(ruleName))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("policy " + name + " has no rule " + ruleName
                        + "; it has " + rules.stream().map(InFlightRule::name).toList()));
    }

    /** Returns the dimensions of all rules, each once, in the order of the rules. */
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
        Set<String> dimensions = dimensions();
        if (dimensions.isEmpty()) {
            throw new IllegalArgumentException("policy " + name
                    + " has no dimensions, so it takes no id; pass PermitRequest.global() or Attributes.none()");
        }
        if (dimensions.size() > 1) {
            throw new IllegalArgumentException("policy " + name + " counts by " + dimensions
                    + ", so a single id is not enough; pass Attributes with all of them");
        }
        return Attributes.ofChecked(dimensions.iterator().next(), Bounds.id("id", id));
    }

    /** Builds an in-flight policy. Not safe for use by several threads. */
    public static final class Builder {

        private final String name;
        private final List<InFlightRule> rules = new ArrayList<>();
        private Duration lease = DEFAULT_LEASE;
        private Optional<Duration> atMost = Optional.empty();
        private Optional<Fallback> fallback = Optional.empty();

        private Builder(String name) {
            this.name = name;
        }

        /**
         * Adds a rule: at most {@code permits} held at the same time, 0 to 100 000, for each value of the dimensions; without
         * dimensions, for all requests.
         */
        public Builder rule(String ruleName, long permits, String... dimensions) {
            rules.add(InFlightRule.of(ruleName, permits, dimensions));
            return this;
        }

        /**
         * Sets the lease, after which the holds of a crashed process are freed: 1 second to 1 hour, in whole milliseconds; 30 seconds by
         * default.
         */
        public Builder lease(Duration time) {
            this.lease = Objects.requireNonNull(time, "lease");
            return this;
        }

        /**
         * Sets how long a hold lasts at most: from the lease to 366 days, in whole milliseconds; unbounded by default. After that time the
         * hold is lost even if its process still renews it, which bounds the effect of a hold that is never released.
         */
        public Builder atMost(Duration longest) {
            this.atMost = Optional.of(longest);
            return this;
        }

        /** Sets how requests are decided while Redis does not reply; by default, the fallback of the engine decides. */
        public Builder fallback(Fallback instead) {
            this.fallback = Optional.of(instead);
            return this;
        }

        /**
         * Builds the policy.
         *
         * @throws IllegalArgumentException if the policy has no rule, more than 16, or two of the same name, or if a duration is out of
         *     its range
         */
        public InFlightPolicy build() {
            return new InFlightPolicy(name, rules, lease, atMost, fallback);
        }
    }
}
