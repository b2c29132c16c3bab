package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A named limit of a policy, and the dimensions by which it counts. A rule without dimensions has one count for all requests. A rule
 * with the dimension {@code user} has a count for each user; with {@code user} and {@code endpoint}, for each user at each endpoint.
 *
 * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit, unique within its policy; part of the key, so a
 *     renamed rule starts a new count
 * @param limit the limit of each count
 * @param dimensions up to 8 different names of attributes. Keys contain the values in this order, but not the names. So give a rule a
 *     new name if its dimensions change; otherwise it would continue from unrelated counts
 * @param countsAttempts see {@link #countingAttempts()}
 * @param shadow see {@link #inShadow()}
 */
public record Rule(String name, Limit limit, List<String> dimensions, boolean countsAttempts, boolean shadow) {

    /** Checks the names of the rule and of its dimensions. */
    public Rule {
        Bounds.name("name of a rule", name);
        Objects.requireNonNull(limit, "limit");
        dimensions = Bounds.dimensions(name, dimensions);
    }

    /** Creates a rule that counts admitted requests only, and is not in shadow mode. */
    public Rule(String name, Limit limit, List<String> dimensions) {
        this(name, limit, dimensions, false, false);
    }

    /** Returns a rule that counts by the given dimensions; without dimensions, it has one count for all requests. */
    public static Rule of(String name, Limit limit, String... dimensions) {
        return new Rule(name, limit, List.of(dimensions));
    }

    /**
     * Returns the same rule, which also counts denied requests: those that any rule of the policy denies, or that another policy of a
     * combined request denies. So a client that keeps retrying stays locked out, except under a fixed or calendar window, whose end does
     * not move. Denied requests never raise the count above the limit.
     */
    public Rule countingAttempts() {
        return new Rule(name, limit, dimensions, true, shadow);
    }

    /**
     * Returns the same rule in shadow mode: it decides and counts as usual, but never denies a request. {@link
     * Decision#deniedInShadow()} reports what it would have denied.
     */
    public Rule inShadow() {
        return new Rule(name, limit, dimensions, countsAttempts, true);
    }

    /**
     * Another limit of a rule, for requests that have all of the given attributes, such as the user {@code alice} or the plan {@code
     * gold}.
     *
     * @param rule the name of a rule of the policy
     * @param when 1 to 8 attributes by name, with values of 1 to 1024 characters, which a request must have; they need not be
     *     dimensions
     * @param limit a limit of the same kind as the limit of the rule, because both use the same counts; a leaky bucket must also have
     *     the same mode
     */
    public record LimitOverride(String rule, Map<String, String> when, Limit limit) {

        /** Checks the number of the attributes, and their names and values. */
        public LimitOverride {
            Objects.requireNonNull(rule, "rule");
            Objects.requireNonNull(limit, "limit");
            when = Bounds.overrideAttributes(rule, when);
        }
    }
}
