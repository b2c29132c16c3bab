package io.headgate.server.serve;

import io.headgate.config.Policies;
import io.headgate.http.LimitDescriptions;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import java.net.URI;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A policy of either kind as the log, the status and the page show it.
 *
 * @param name its name
 * @param rules what its rules admit
 * @param example a command that asks it, for the address of the server
 */
record ShownPolicy(String name, List<ShownRule> rules, Function<URI, String> example) {

    /**
     * A rule.
     *
     * @param name its name
     * @param admits in plain words
     * @param dimensions what it counts by
     * @param shadow whether it denies nothing
     */
    record ShownRule(String name, String admits, List<String> dimensions, boolean shadow) {

        private static ShownRule of(Rule rule) {
            return new ShownRule(rule.name(), LimitDescriptions.of(rule), rule.dimensions(), rule.shadow());
        }

        private static ShownRule of(InFlightRule rule) {
            return new ShownRule(rule.name(), LimitDescriptions.of(rule), rule.dimensions(), false);
        }
    }

    /** All of them: those whose limits count what begins, then those of in-flight limits. */
    static List<ShownPolicy> of(Policies policies) {
        return Stream.concat(
                        policies.list().stream().map(ShownPolicy::of),
                        policies.inFlight().stream().map(ShownPolicy::of))
                .toList();
    }

    private static ShownPolicy of(Policy policy) {
        return new ShownPolicy(
                policy.name(),
                policy.rules().stream().map(ShownRule::of).toList(),
                server -> Curl.check(server, policy));
    }

    private static ShownPolicy of(InFlightPolicy policy) {
        return new ShownPolicy(
                policy.name(),
                policy.rules().stream().map(ShownRule::of).toList(),
                server -> Curl.hold(server, policy));
    }
}
