package io.headgate.config;

import io.headgate.config.internal.yaml.Fields;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.Scalars;
import io.headgate.config.internal.yaml.Where;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Creates in-flight policies from YAML. */
final class InFlightReader {

    /** The key of the longest time of a hold. */
    static final String AT_MOST = "at-most";

    private static final InFlightPolicy STAND_IN = InFlightPolicy.of("stand-in", 0);

    private final Problems problems;

    InFlightReader(Problems problems) {
        this.problems = problems;
    }

    /**
     * Creates a policy without its fallback, which {@link PolicyReader} adds.
     *
     * @param fields the fields of the policy
     * @param rulesKey the position of the key of the rules, for errors
     */
    InFlightPolicy policy(String name, Fields fields, Where rulesKey, List<InFlightRule> rules) {
        fields.optional(PolicyReader.COLOCATE)
                .ifPresent(given -> problems.add(
                        given.key(), "does not apply to in-flight limits, whose keys share a slot; remove it"));
        fields.optional(PolicyReader.PAUSABLE)
                .ifPresent(given -> problems.add(given.key(), "does not apply to in-flight limits; remove it"));
        InFlightPolicy ruled = problems.made(
                rulesKey,
                STAND_IN,
                () -> new InFlightPolicy(
                        name, rules, InFlightPolicy.DEFAULT_LEASE, Optional.empty(), Optional.empty()));
        InFlightPolicy leased = fields.optional(PolicyReader.LEASE)
                .map(given -> leased(ruled, given.value()))
                .orElse(ruled);
        return fields.optional(AT_MOST)
                .map(given -> limited(leased, given.value(), fields.optional(PolicyReader.LEASE)))
                .orElse(leased);
    }

    private InFlightPolicy leased(InFlightPolicy policy, Yaml value) {
        return duration(value, "10s or 1m")
                .map(lease -> new Candidate(policy, lease, Optional.empty()))
                .filter(candidate -> problems.accepted(value, "", candidate::policy))
                .map(Candidate::policy)
                .orElse(policy);
    }

    private InFlightPolicy limited(InFlightPolicy policy, Yaml value, Optional<Yaml.Entry> lease) {
        Yaml about = lease.map(Yaml.Entry::value).orElse(value);
        return duration(value, "10m or 1h")
                .map(longest -> new Candidate(policy, policy.lease(), Optional.of(longest)))
                .filter(candidate -> problems.accepted(value, about, "", candidate::policy))
                .map(Candidate::policy)
                .orElse(policy);
    }

    /** The parts of a policy with another lease or longest time, which the API may reject. */
    private record Candidate(InFlightPolicy of, Duration lease, Optional<Duration> atMost) {

        InFlightPolicy policy() {
            return new InFlightPolicy(of.name(), of.rules(), lease, atMost, of.fallback());
        }
    }

    private Optional<Duration> duration(Yaml value, String such) {
        Optional<Duration> read =
                value instanceof Yaml.Scalar scalar ? Scalars.duration(scalar.text()) : Optional.empty();
        if (read.isEmpty()) {
            problems.wrong(value, "a duration such as " + such);
        }
        return read;
    }
}
