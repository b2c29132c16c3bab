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
 * A policy in the form that the log, the status and the page show.
 *
 * @param name its name
 * @param rules its rules
 * @param example a command that checks it, for the address of the server
 */
record PolicyView(String name, List<RuleView> rules, Function<URI, String> example) {

    /**
     * A rule.
     *
     * @param name its name
     * @param admits the description of its limit
     * @param dimensions the dimensions by which it counts
     * @param shadow whether it is in shadow mode
     */
    record RuleView(String name, String admits, List<String> dimensions, boolean shadow) {

        private static RuleView of(Policy policy, Rule rule) {
            String admits = LimitDescriptions.of(rule) + overrides(policy, rule);
            return new RuleView(rule.name(), admits, rule.dimensions(), rule.shadow());
        }

        private static String overrides(Policy policy, Rule rule) {
            long overrides = policy.overrides().stream()
                    .filter(one -> one.rule().equals(rule.name()))
                    .count();
            return overrides == 0 ? "" : overrides == 1 ? "; 1 override" : "; " + overrides + " overrides";
        }

        private static RuleView of(InFlightRule rule) {
            return new RuleView(rule.name(), LimitDescriptions.of(rule), rule.dimensions(), false);
        }
    }

    /** All policies: first those with limits, then those with in-flight limits. */
    static List<PolicyView> of(Policies policies) {
        return Stream.concat(
                        policies.list().stream().map(PolicyView::of),
                        policies.inFlight().stream().map(PolicyView::of))
                .toList();
    }

    private static PolicyView of(Policy policy) {
        return new PolicyView(
                policy.name(),
                policy.rules().stream().map(rule -> RuleView.of(policy, rule)).toList(),
                server -> Curl.check(server, policy));
    }

    private static PolicyView of(InFlightPolicy policy) {
        return new PolicyView(
                policy.name(), policy.rules().stream().map(RuleView::of).toList(), server -> Curl.hold(server, policy));
    }
}
