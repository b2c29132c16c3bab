package io.headgate.limits;

import io.headgate.limits.bans.BanRule;
import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.algorithm.LimitKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

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
 * @param ban see {@link #banning(BanRule)}; empty if the rule does not ban
 */
public record Rule(
        String name,
        Limit limit,
        List<String> dimensions,
        boolean countsAttempts,
        boolean shadow,
        Optional<BanRule> ban) {

    /** Checks the names of the rule and of its dimensions, and that it can ban if it does. */
    public Rule {
        Bounds.name("name of a rule", name);
        Objects.requireNonNull(limit, "limit");
        dimensions = Bounds.dimensions(name, dimensions);
        if (ban.isPresent()) {
            requireBans(name, limit, dimensions, countsAttempts, ban.get());
        }
    }

    /** Creates a rule that counts admitted requests only, is not in shadow mode and does not ban. */
    public Rule(String name, Limit limit, List<String> dimensions) {
        this(name, limit, dimensions, false, false, Optional.empty());
    }

    private static void requireBans(
            String name, Limit limit, List<String> dimensions, boolean countsAttempts, BanRule ban) {
        if (dimensions.isEmpty()) {
            throw new IllegalArgumentException(
                    "rule " + name + " has no dimension, so a ban would deny all requests; give it a dimension");
        }
        if (countsAttempts) {
            throw new IllegalArgumentException("rule " + name
                    + " counts attempts, so it can't ban: a client that keeps retrying stays locked out anyway");
        }
        Duration counted = Micros.toDuration(LimitKind.longestMicros(limit));
        if (ban.duration().compareTo(counted) < 0) {
            throw new IllegalArgumentException("a ban by rule " + name + " must last at least " + counted
                    + ", as long as its counts matter, was " + ban.duration());
        }
    }

    /** Returns a rule that counts by the given dimensions; without dimensions, it has one count for all requests. */
    public static Rule of(String name, Limit limit, String... dimensions) {
        return new Rule(name, limit, List.of(dimensions));
    }

    /**
     * Returns the same rule, which also counts denied requests: those that any rule of the policy denies, or that another policy of a
     * combined request denies. So a client that keeps retrying stays locked out, except under a fixed or calendar window, whose end does
     * not move. Denied requests never raise the count above the limit.
     *
     * @throws IllegalArgumentException if the rule {@linkplain #banning bans}
     */
    public Rule countingAttempts() {
        return new Rule(name, limit, dimensions, true, shadow, ban);
    }

    /**
     * Returns the same rule in shadow mode: it decides and counts as usual, but never denies a request. {@link
     * Decision#deniedInShadow()} reports what it would have denied.
     */
    public Rule inShadow() {
        return new Rule(name, limit, dimensions, countsAttempts, true, ban);
    }

    /**
     * Returns the same rule, which bans an id that it keeps denying: until the ban ends, it denies all requests of this id, on the basis
     * {@link Decision.Basis#BANNED}. {@link Limiter#reset} ends a ban. A ban by a rule in shadow mode denies nothing, as the rule itself.
     * If another version of the rule does not ban, bans in force remain until they end.
     *
     * @throws IllegalArgumentException if the rule has no dimension or counts attempts, or if a ban is shorter than the time for which its
     *     counts matter: the window, two windows of a sliding counter, or the time in which a bucket refills or leaks out
     */
    public Rule banning(BanRule bans) {
        return new Rule(name, limit, dimensions, countsAttempts, shadow, Optional.of(bans));
    }

    /** Returns the same rule, which begins no bans. Bans that are in force remain until they end. */
    public Rule withoutBans() {
        return new Rule(name, limit, dimensions, countsAttempts, shadow, Optional.empty());
    }

    /**
     * Returns the same rule with another limit.
     *
     * @throws IllegalArgumentException if the rule bans, and its bans are too short for the limit
     */
    public Rule withLimit(Limit other) {
        return new Rule(name, other, dimensions, countsAttempts, shadow, ban);
    }

    /** Returns the components; the ban only if there is one. */
    @Override
    public String toString() {
        return "Rule[name=" + name + ", limit=" + limit + ", dimensions=" + dimensions + ", countsAttempts="
                + countsAttempts + ", shadow=" + shadow
                + ban.map(bans -> ", ban=" + bans).orElse("") + "]";
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
