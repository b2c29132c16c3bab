package io.headgate.server.bans;

import java.util.Optional;
import picocli.CommandLine.Option;

/** The rule whose bans a command shows or lifts. */
final class RuleOption {

    @Option(
            names = "--rule",
            paramLabel = "NAME",
            description = {
                "The bans by this rule of the policy, instead of those of operators.",
                "The rule must count by the attribute only."
            })
    private Optional<String> rule = Optional.empty();

    boolean isGiven() {
        return rule.isPresent();
    }

    /**
     * Returns the rule of the policy of these targets; empty if the command is about the bans of operators.
     *
     * @throws IllegalArgumentException if the policy is missing, or the name is invalid
     */
    Optional<RuleBans> bans(TargetOptions targets) {
        return rule.map(name -> new RuleBans(
                targets.policy()
                        .orElseThrow(() ->
                                new IllegalArgumentException("--rule needs the policy of the rule; add --policy NAME")),
                name));
    }
}
