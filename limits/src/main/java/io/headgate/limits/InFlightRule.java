package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.util.List;

/**
 * A named in-flight limit of a policy, and the dimensions that it is counted by, as of a {@link Rule}.
 *
 * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, beginning with a letter or digit, unique within its policy; part of
 *     the key, so a renamed rule starts a new count
 * @param permits how many may be held at once: 0 to 100 000; at 0 everything is denied
 * @param dimensions up to 8 names of attributes, none twice; none of them makes a global rule
 */
public record InFlightRule(String name, long permits, List<String> dimensions) {

    /** Checks the names and the permits. */
    public InFlightRule {
        Bounds.name("name of a rule", name);
        Bounds.inRange("permits of rule " + name, permits, 0, Bounds.MAX_IN_FLIGHT);
        dimensions = Bounds.dimensions(name, dimensions);
    }

    /** A rule by the given dimensions; none of them makes a global rule. */
    public static InFlightRule of(String name, long permits, String... dimensions) {
        return new InFlightRule(name, permits, List.of(dimensions));
    }
}
