package io.headgate.server.bans;

import io.headgate.limits.bans.BanTarget;
import io.headgate.server.text.Quoted;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The targets of a command: {@code ATTRIBUTE=VALUE}, and the policy. */
final class TargetOptions {

    @Parameters(
            paramLabel = "ATTRIBUTE=VALUE",
            arity = "1..*",
            description = {
                "Which requests: those with this value of an attribute, such as user=mallory or ip=203.0.113.7.",
                "The value may be a block of addresses, such as ip=203.0.113.0/24 or ip=2001:db8::/32."
            })
    private List<String> given = new ArrayList<>();

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            description = "Only requests to this policy; by default, to all policies.")
    private Optional<String> policy = Optional.empty();

    /** The name of the policy, if one was given. */
    Optional<String> policy() {
        return policy;
    }

    /**
     * Returns the targets.
     *
     * @throws IllegalArgumentException if one is invalid
     */
    List<BanTarget> targets() {
        return given.stream().distinct().map(this::target).toList();
    }

    private BanTarget target(String text) {
        int equals = text.indexOf('=');
        if (equals < 0) {
            throw new IllegalArgumentException(
                    "a target must be ATTRIBUTE=VALUE such as user=mallory or ip=203.0.113.0/24, was "
                            + Quoted.of(text));
        }
        return new BanTarget(policy, text.substring(0, equals), text.substring(equals + 1));
    }
}
