package io.headgate.spring.web;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Policy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/** Checks that the policies of routes exist, and that routes have the values by which they count. */
final class PolicyChecks {

    /** The most rules of a combined request. */
    static final int MAX_RULES = 16;

    private final PolicyRegistry registry;
    private final BiConsumer<String, String> problem;

    /**
     * Creates the checks.
     *
     * @param problem receives the property and the text of each problem
     */
    PolicyChecks(PolicyRegistry registry, BiConsumer<String, String> problem) {
        this.registry = registry;
        this.problem = problem;
    }

    /**
     * Checks the policy of a route.
     *
     * @param property the property of the route
     * @param given the dimensions of which the route has values
     */
    void check(String property, String name, Set<String> given) {
        if (registry.findInFlightLimiter(name).isPresent()
                && registry.findLimiter(name).isEmpty()) {
            problem.accept(
                    property + ".policy", "is " + name + ", which has in-flight limits; a route needs rate limits");
            return;
        }
        Optional<Policy> found = registry.findLimiter(name).map(limiter -> limiter.policy());
        if (found.isEmpty()) {
            List<String> names = new ArrayList<>();
            registry.policies().forEach(policy -> names.add(policy.name()));
            problem.accept(property + ".policy", "is " + name + ", but there is no such policy; there are " + names);
            return;
        }
        Policy policy = found.get();
        for (String dimension : policy.dimensions()) {
            if (!given.contains(dimension)) {
                problem.accept(
                        property + ".by", "needs a value of " + dimension + ", by which policy " + name + " counts");
            }
        }
        for (String dimension : given) {
            if (!policy.dimensions().contains(dimension)
                    && !policy.overrideAttributes().contains(dimension)) {
                problem.accept(
                        property + ".by." + dimension,
                        "is no dimension of policy " + name + ", which counts by " + policy.dimensions());
            }
        }
        policy.rules().stream()
                .filter(rule -> rule.limit() instanceof LeakyBucket bucket && bucket.mode() == LeakyBucket.Mode.SHAPER)
                .forEach(rule -> problem.accept(
                        property + ".policy",
                        "is " + name + ", whose rule " + rule.name()
                                + " delays requests, which a route does not; set its mode to meter"));
    }

    /** Checks policies that may decide one request together. */
    void checkTogether(List<Route> routes) {
        checkEachOnce(routes);
        for (Phase phase : Phase.values()) {
            int rules = routes.stream()
                    .filter(route -> route.phase() == phase)
                    .flatMap(route -> route.policy().fixed().flatMap(registry::findLimiter).stream())
                    .mapToInt(limiter -> limiter.policy().rules().size())
                    .sum();
            if (rules > MAX_RULES) {
                problem.accept(
                        "headgate.web.match",
                        "is all, so the policies must have at most " + MAX_RULES + " rules together, but have " + rules
                                + "; use first, or fewer policies");
            }
        }
    }

    /** Checks the order of routes of which the first match decides: one before authentication decides first, so it must be listed first. */
    void checkOrder(List<Route> routes) {
        String later = "";
        for (Route route : routes) {
            if (route.phase() == Phase.AFTER_AUTHENTICATION) {
                later = later.isEmpty() ? route.property() : later;
            } else if (!later.isEmpty()) {
                problem.accept(
                        route.property() + ".before-authentication",
                        "must not follow " + later + ", which decides later; move the route up, or use match: all");
            }
        }
    }

    /** Two parts of one combined decision must not share a count, and a request must not be charged twice in two phases. */
    private void checkEachOnce(List<Route> routes) {
        Map<String, String> users = new LinkedHashMap<>();
        for (Route route : routes) {
            String name = route.policy().fixed().orElse("");
            String other = name.isEmpty() ? null : users.putIfAbsent(name, route.property());
            if (other != null) {
                problem.accept(
                        route.property() + ".policy",
                        "is " + name + ", as in " + other
                                + "; with match: all, give a policy to one route, which may have several paths");
            }
        }
    }
}
