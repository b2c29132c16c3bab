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
 * A named set of in-flight limits that decide together: a hold takes its permits of all of them, or none of any.
 *
 * <pre>{@code
 * InFlightPolicy exports = InFlightPolicy.named("exports")
 *         .rule("global", 100)
 *         .rule("per-user", 3, Attributes.USER)
 *         .build();
 * }</pre>
 *
 * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, beginning with a letter or digit; part of the keys. Policies of
 *     {@link Policy} have names of their own: the same one may be used for both
 * @param rules 1 to 16, in the order in which answers list them
 * @param lease how long a hold lasts without renewal, such as after its process has died: 1 second to 1 hour, in whole
 *     milliseconds. While the process lives, its engine renews it every third of that
 * @param atMost how long a hold lasts at most, also in a process that lives: from the lease to 366 days, in whole
 *     milliseconds; none for as long as it is not released
 * @param fallback what is answered while Redis does not answer; none for what the engine says
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
     * Checks that a limiter of this policy can be updated to another version of it.
     *
     * @throws IllegalArgumentException when the version has another name, or a rule of the same name counts by other dimensions
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

    /** Begins a policy without rules. */
    public static Builder named(String name) {
        return new Builder(name);
    }

    /** A policy of one rule, named {@value Policy#ONLY_RULE}, with the default lease. */
    public static InFlightPolicy of(String name, long permits, String... dimensions) {
        return named(name).rule(Policy.ONLY_RULE, permits, dimensions).build();
    }

    /**
     * The rule of that name.
     *
     * @throws IllegalArgumentException when there is none
     */
    public InFlightRule rule(String ruleName) {
        return rules.stream()
                .filter(rule -> rule.name().equals(ruleName))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("policy " + name + " has no rule " + ruleName
                        + "; it has " + rules.stream().map(InFlightRule::name).toList()));
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

    /** Collects the rules of a policy. Not safe for use by several threads. */
    public static final class Builder {

        private final String name;
        private final List<InFlightRule> rules = new ArrayList<>();
        private Duration lease = DEFAULT_LEASE;
        private Optional<Duration> atMost = Optional.empty();
        private Optional<Fallback> fallback = Optional.empty();

        private Builder(String name) {
            this.name = name;
        }

        /** Adds a rule: at most {@code permits} at once, 0 to 100 000, counted by the given dimensions; without dimensions the rule is global. */
        public Builder rule(String ruleName, long permits, String... dimensions) {
            rules.add(InFlightRule.of(ruleName, permits, dimensions));
            return this;
        }

        /** Frees what a process held that has died after so long: 1 second to 1 hour; 30 seconds by default. */
        public Builder lease(Duration time) {
            this.lease = Objects.requireNonNull(time, "lease");
            return this;
        }

        /**
         * Takes back holds that are not released for so long, also while their process lives: from the lease to 366 days. It
         * guards against holds that somebody forgot.
         */
        public Builder atMost(Duration longest) {
            this.atMost = Optional.of(longest);
            return this;
        }

        /** Answers so while Redis does not answer; by default, as the engine says. */
        public Builder fallback(Fallback instead) {
            this.fallback = Optional.of(instead);
            return this;
        }

        /**
         * The policy.
         *
         * @throws IllegalArgumentException when it has no rule, more than 16, or two of one name, or when a duration is out
         *     of its range
         */
        public InFlightPolicy build() {
            return new InFlightPolicy(name, rules, lease, atMost, fallback);
        }
    }
}
