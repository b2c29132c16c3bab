package io.headgate.spring.gateway;

import io.headgate.spring.internal.PolicyProblems;
import io.headgate.spring.web.WebProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.cloud.gateway.filter.FilterDefinition;

/** Warns at the start about filters whose settings are valid, but mostly not what was meant. */
final class RouteWarnings {

    private static final Log LOG = LogFactory.getLog("io.headgate.spring");

    /** What is not part of the literal beginning of a pattern. */
    private static final String WILDCARDS = "[*?{].*";

    private final List<WebProperties.Route> routes;

    /** Creates the warnings for an application with these routes in its properties. */
    RouteWarnings(WebProperties properties) {
        this.routes = properties.routes();
    }

    /** Returns the patterns of a predicate {@code Path}; none of another one, or if they are not known, so that it may match all paths. */
    static Stream<String> patterns(String predicate, Map<String, ?> arguments) {
        return "Path".equals(predicate)
                ? arguments.values().stream().map(String::valueOf).filter(value -> value.startsWith("/"))
                : Stream.empty();
    }

    /**
     * Warns if a route of the properties has the policy of a filter, and both may limit the same request.
     *
     * @param name the name of the filter
     * @param arguments the valid arguments of the filter
     * @param paths the patterns of the paths that the gateway's route matches; empty if it may match all paths
     */
    void warnOfSecondCharge(String name, Map<String, ?> arguments, List<String> paths) {
        String policy = FilterArguments.read(name, arguments).policy();
        if (policy == null || policy.equals(PolicyProblems.NONE)) {
            return;
        }
        List<String> same = new ArrayList<>();
        for (int i = 0; i < routes.size(); i++) {
            WebProperties.Route route = routes.get(i);
            if (policy.equals(route.policy()) && mayOverlap(route.path(), paths)) {
                same.add("headgate.web.routes[" + i + "]");
            }
        }
        if (!same.isEmpty()) {
            LOG.warn(name + ".policy: is " + policy + ", as in " + String.join(" and ", same)
                    + ", so that a request that matches both is charged twice; limit it in one of them");
        }
    }

    /** Warns if a filter has a period, as no limiter of Headgate reads it. The gateway's own limiter counts by seconds. */
    static void warnOfPeriods(String route, List<FilterDefinition> filters) {
        String prefix = HeadgateRateLimiter.ARGUMENTS + ".";
        filters.stream()
                .filter(filter -> HeadgateRateLimiter.FILTER.equals(filter.getName()))
                .flatMap(filter -> filter.getArgs().keySet().stream())
                .filter(argument -> argument.startsWith(prefix)
                        && FilterArguments.isOneOf(
                                List.of(HeadgateRateLimiter.PERIOD), argument.substring(prefix.length())))
                .forEach(argument -> LOG.warn(route + ": " + argument
                        + ": only the limiter of Headgate has it, but the application has another one, or Headgate is"
                        + " switched off; RedisRateLimiter counts per second"));
    }

    /** Whether a path may match a pattern of each list, as far as the beginnings of the patterns show. */
    private static boolean mayOverlap(List<String> some, List<String> others) {
        return some.isEmpty()
                || others.isEmpty()
                || some.stream().map(RouteWarnings::beginning).anyMatch(one -> others.stream()
                        .map(RouteWarnings::beginning)
                        .anyMatch(other -> one.startsWith(other) || other.startsWith(one)));
    }

    private static String beginning(String pattern) {
        return pattern.replaceFirst(WILDCARDS, "").toLowerCase(Locale.ROOT);
    }
}
