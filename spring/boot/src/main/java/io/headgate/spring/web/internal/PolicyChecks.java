package io.headgate.spring.web.internal;

import io.headgate.config.PolicyRegistry;
import io.headgate.spring.internal.PolicyProblems;
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
     * Checks the policy of a route, which may be none.
     *
     * @param property the property of the route
     * @param name the name of the policy; empty if each request has its own
     * @param given the dimensions of which the route has values
     * @param permits the permits of each request; empty if they differ
     */
    void check(String property, Optional<String> name, Set<String> given, Optional<Long> permits) {
        new PolicyProblems(registry, "a route", (setting, text) -> problem.accept(property + setting, text))
                .checkRoute(name, given, permits, false);
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
            String name = route.policy().fixed().orElse(PolicyProblems.NONE);
            String other = name.equals(PolicyProblems.NONE) ? null : users.putIfAbsent(name, route.property());
            if (other != null) {
                problem.accept(
                        route.property() + ".policy",
                        "is " + name + ", as in " + other
                                + "; with match: all, give a policy to one route, which may have several paths");
            }
        }
    }
}
