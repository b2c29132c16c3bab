package io.headgate.config.sources;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What a shadow version of the policies would have done with the requests of a process, beside what the version in force did. Counts are
 * those since the process has evaluated this shadow version beside its version in force.
 *
 * @param version the shadow version; empty if it cannot be read
 * @param comparedWith the version in force
 * @param since when the process started to count, by its own clock
 * @param problem why the process does not evaluate the shadow version, in one line; empty if it does
 * @param policies each policy that differs and has limits other than in-flight limits, by name
 */
public record PolicyPreview(
        String version, String comparedWith, Instant since, Optional<String> problem, List<PolicyCounts> policies) {

    /** The most policies that a process reports by name. */
    public static final int MAX_POLICIES = 500;

    /** The most rules of all policies that a process reports. Policies beyond them are reported without their rules. */
    public static final int MAX_RULES = 2000;

    /** The name of the sum of further policies. No policy can have it. */
    public static final String OTHERS = "(others)";

    /** Copies the policies. */
    public PolicyPreview {
        policies = List.copyOf(policies);
    }

    /**
     * The requests of a policy.
     *
     * @param policy its name
     * @param isSettled whether the counts start when the comparison has settled; if not, they start with the evaluation, and the shadow
     *     version denied too few of their requests, as its own counts started from zero
     * @param settledFrom when the comparison settles: the longest time for which a limit counts a request after the start
     * @param requests the number of requests that both versions decided
     * @param outcomes how they were decided
     * @param incomplete the further requests that lack an attribute by which a rule of the shadow version counts
     * @param skipped the further requests that the shadow version did not decide: too many were outstanding, or Redis did not reply
     * @param failed the further requests for which the evaluation failed, for example because Redis did not reply in time
     * @param rules each rule of both versions, in their order
     */
    public record PolicyCounts(
            String policy,
            boolean isSettled,
            Instant settledFrom,
            long requests,
            Outcomes outcomes,
            long incomplete,
            long skipped,
            long failed,
            List<RuleCounts> rules) {

        /** Copies the rules. */
        public PolicyCounts {
            rules = List.copyOf(rules);
        }

        PolicyCounts plus(PolicyCounts other) {
            return new PolicyCounts(
                    policy,
                    isSettled && other.isSettled,
                    settledFrom.isAfter(other.settledFrom) ? settledFrom : other.settledFrom,
                    requests + other.requests,
                    outcomes.plus(other.outcomes),
                    incomplete + other.incomplete,
                    skipped + other.skipped,
                    failed + other.failed,
                    merged(rules, other.rules, RuleCounts::rule, RuleCounts::plus));
        }
    }

    /**
     * The requests that a rule denied. If several rules deny a request, the one with the longest wait counts it.
     *
     * @param rule its name
     * @param outcomes of the requests that this rule denied
     * @param incomplete the requests that lack an attribute by which this rule of the shadow version counts
     */
    public record RuleCounts(String rule, Outcomes outcomes, long incomplete) {

        RuleCounts plus(RuleCounts other) {
            return new RuleCounts(rule, outcomes.plus(other.outcomes), incomplete + other.incomplete);
        }
    }

    /**
     * Numbers of requests.
     *
     * @param denied those that the version in force denied
     * @param wouldBeDenied those that the shadow version would have denied
     * @param newlyDenied those of them that the version in force allowed
     * @param newlyAllowed those that the version in force denied, and the shadow version would have allowed
     */
    public record Outcomes(long denied, long wouldBeDenied, long newlyDenied, long newlyAllowed) {

        Outcomes plus(Outcomes other) {
            return new Outcomes(
                    denied + other.denied,
                    wouldBeDenied + other.wouldBeDenied,
                    newlyDenied + other.newlyDenied,
                    newlyAllowed + other.newlyAllowed);
        }
    }

    /**
     * Returns the sum of the counts of several processes, by the name of the policy. If the comparison of some of them has settled, it is the
     * sum of these only.
     */
    public static List<PolicyCounts> total(List<PolicyPreview> previews) {
        Map<String, PolicyCounts> byName = previews.stream()
                .flatMap(preview -> preview.policies().stream())
                .collect(Collectors.toMap(PolicyCounts::policy, Function.identity(), PolicyPreview::sum, TreeMap::new));
        return List.copyOf(byName.values());
    }

    private static PolicyCounts sum(PolicyCounts one, PolicyCounts other) {
        if (one.isSettled == other.isSettled) {
            return one.plus(other);
        }
        return one.isSettled ? one : other;
    }

    private static <T> List<T> merged(List<T> one, List<T> other, Function<T, String> name, BinaryOperator<T> plus) {
        Map<String, T> all = new LinkedHashMap<>();
        one.forEach(each -> all.merge(name.apply(each), each, plus));
        other.forEach(each -> all.merge(name.apply(each), each, plus));
        return List.copyOf(all.values());
    }

    /**
     * Returns this preview with the policies that have the most requests, and their rules. The others are one policy named
     * {@value #OTHERS}, without rules.
     */
    public PolicyPreview bounded(int maxPolicies) {
        if (policies.size() <= maxPolicies) {
            return this;
        }
        List<PolicyCounts> sorted = policies.stream()
                .sorted(Comparator.comparingLong(PolicyCounts::requests).reversed())
                .toList();
        PolicyCounts rest = sorted.stream()
                .skip(maxPolicies)
                .map(each -> new PolicyCounts(
                        OTHERS,
                        each.isSettled,
                        each.settledFrom,
                        each.requests,
                        each.outcomes,
                        each.incomplete,
                        each.skipped,
                        each.failed,
                        List.of()))
                .reduce(PolicyCounts::plus)
                .orElseThrow();
        List<PolicyCounts> kept = new ArrayList<>(sorted.subList(0, maxPolicies));
        kept.add(rest);
        return new PolicyPreview(version, comparedWith, since, problem, kept);
    }
}
