package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A named limit of a policy, and the dimensions that it is counted by: a rule without dimensions counts everybody
 * together, one by {@code user} counts each user alone, one by {@code user} and {@code endpoint} counts each user at
 * each endpoint.
 *
 * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, beginning with a letter or digit, unique within its policy;
 *     part of the key, so a renamed rule starts a new count
 * @param limit what may pass
 * @param dimensions up to 8 names of attributes, none twice. The key holds their values in this order and not their
 *     names: a rule whose dimensions change needs a new name, or else it would continue from counts of something else
 * @param countsAttempts see {@link #countingAttempts()}
 * @param shadow see {@link #inShadow()}
 */
public record Rule(String name, Limit limit, List<String> dimensions, boolean countsAttempts, boolean shadow) {

    /** Checks the names. */
    public Rule {
        Bounds.name("name of a rule", name);
        Objects.requireNonNull(limit, "limit");
        dimensions = Bounds.dimensions(name, dimensions);
    }

    /** A rule that counts what it admits, and denies. */
    public Rule(String name, Limit limit, List<String> dimensions) {
        this(name, limit, dimensions, false, false);
    }

    /** A rule by the given dimensions; none of them makes a global rule. */
    public static Rule of(String name, Limit limit, String... dimensions) {
        return new Rule(name, limit, List.of(dimensions));
    }

    /**
     * The same rule, under which denied requests count too, whichever rule denied them: a client that keeps retrying stays locked
     * out. A denied request never counts for more than the limit.
     */
    public Rule countingAttempts() {
        return new Rule(name, limit, dimensions, true, shadow);
    }

    /**
     * The same rule, tried in shadow mode: it is decided and counted as usual, but never denies a request.
     * What it would deny is in {@link Decision#deniedInShadow()}.
     */
    public Rule inShadow() {
        return new Rule(name, limit, dimensions, countsAttempts, true);
    }

    /**
     * Another limit for some requests of a rule: those that have all of the given attributes, such as the user {@code alice} or the
     * plan {@code gold}.
     *
     * @param rule the name of a rule of the policy
     * @param when 1 to 8 attributes by name, with values of 1 to 1024 characters; they need not be dimensions of a rule
     * @param limit of the same kind as the limit of the rule, as both continue from the same counts; of a leaky bucket also of the same
     *     mode
     */
    public record LimitOverride(String rule, Map<String, String> when, Limit limit) {

        /** Checks the attributes. */
        public LimitOverride {
            Objects.requireNonNull(rule, "rule");
            Objects.requireNonNull(limit, "limit");
            when = Bounds.overrideAttributes(rule, when);
        }
    }
}
