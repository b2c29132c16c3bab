package io.headgate.config;

import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.Where;
import io.headgate.config.internal.yaml.Yaml;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The kind of a policy: rate limits or in-flight limits. The first limit of its rules determines it.
 *
 * @param inFlight whether it has in-flight limits
 * @param decidedBy the position of the limit that determines the kind; the start of the file if there is none
 */
record PolicyKind(boolean inFlight, Where decidedBy) {

    /** The key of an in-flight limit. */
    static final String IN_FLIGHT = "in-flight";

    /**
     * Returns the kind of a policy, whose value may be malformed.
     *
     * @param limits the keys of all kinds of limits
     */
    static PolicyKind of(Yaml.Entry policy, List<String> limits) {
        return entries(policy.value()).stream()
                .filter(rules -> rules.key().path().endsWith(".rules"))
                .flatMap(rules -> entries(rules.value()).stream())
                .flatMap(rule -> first(rule.value(), limits).stream())
                .findFirst()
                .map(limit -> new PolicyKind(limit.path().endsWith("." + IN_FLIGHT), limit))
                .orElse(new PolicyKind(false, Where.START));
    }

    private static Optional<Where> first(Yaml rule, List<String> limits) {
        return rule instanceof Yaml.Mapping mapping
                ? mapping.entries().entrySet().stream()
                        .filter(entry -> limits.contains(entry.getKey()))
                        .map(entry -> entry.getValue().key())
                        .min(Comparator.naturalOrder())
                : Optional.empty();
    }

    private static Collection<Yaml.Entry> entries(Yaml value) {
        return value instanceof Yaml.Mapping mapping ? mapping.entries().values() : List.of();
    }

    /** Records the problem that a limit is of the other kind. */
    void noteOther(Where limit, Problems problems) {
        problems.add(
                limit,
                (inFlight ? "is not an in-flight limit, but that " : "is an in-flight limit, but that ")
                        + decidedBy.reference() + (inFlight ? " is one" : " is not")
                        + "; all limits of a policy must be in-flight limits, or none");
    }
}
