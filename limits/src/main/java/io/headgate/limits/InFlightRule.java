package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.util.List;

/**
 * A named in-flight limit of a policy, and the dimensions by which it counts.
 *
 * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}, the first a letter or digit, unique within its policy; part of the key, so a
 *     renamed rule starts a new count
 * @param permits how many permits may be held at the same time: 0 to 100 000; 0 denies everything
 * @param dimensions up to 8 different names of attributes; a rule without dimensions counts all requests as one
 */
public record InFlightRule(String name, long permits, List<String> dimensions) {

    /** Checks the names and the permits. */
    public InFlightRule {
        Bounds.name("name of a rule", name);
        Bounds.inRange("permits of rule " + name, permits, 0, Bounds.MAX_IN_FLIGHT);
        dimensions = Bounds.dimensions(name, dimensions);
    }

    /** Returns a rule that counts by the given dimensions; without dimensions, it counts all requests as one. */
    public static InFlightRule of(String name, long permits, String... dimensions) {
        return new InFlightRule(name, permits, List.of(dimensions));
    }
}
