package io.headgate.spring.web.internal;

import io.headgate.http.attributes.ClientAddress;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.server.PathContainer;

/** The compiled routes of an application. Immutable and safe for use by any number of threads. */
public final class Routes {

    private final List<Route> beforeAuthentication;
    private final List<Route> afterAuthentication;
    private final boolean all;
    private final ClientAddress clients;
    private final boolean principal;

    Routes(List<Route> routes, boolean all, ClientAddress clients, boolean principal) {
        this.beforeAuthentication = of(routes, Phase.BEFORE_AUTHENTICATION);
        this.afterAuthentication = of(routes, Phase.AFTER_AUTHENTICATION);
        this.all = all;
        this.clients = clients;
        this.principal = principal;
    }

    private static List<Route> of(List<Route> routes, Phase phase) {
        return routes.stream().filter(route -> route.phase() == phase).toList();
    }

    private List<Route> of(Phase phase) {
        return phase == Phase.BEFORE_AUTHENTICATION ? beforeAuthentication : afterAuthentication;
    }

    /** Returns whether a route decides in this phase. */
    public boolean has(Phase phase) {
        return !of(phase).isEmpty();
    }

    /** Returns whether a route refunds requests by their outcome. */
    public boolean refund() {
        return all().stream().anyMatch(route -> !route.refundOn().isEmpty());
    }

    /** Returns whether a route refunds requests in which Spring Security authenticated the user. */
    public boolean refundAuthenticated() {
        return all().stream().anyMatch(route -> route.refundOn().needsAuthentication());
    }

    /** Returns whether a route may need the {@linkplain WebRequest#principal() principal} of requests. */
    public boolean usesPrincipal() {
        return principal;
    }

    private List<Route> all() {
        List<Route> routes = new ArrayList<>(beforeAuthentication);
        routes.addAll(afterAuthentication);
        return routes;
    }

    /** Returns whether all matching routes decide, also those of both phases. */
    boolean matchAll() {
        return all;
    }

    /**
     * Returns the request of each route of a phase that decides it: the first one that matches, or all of them. If the request has two
     * forms of its path, both of them are matched, so that no spelling of the path evades a route.
     *
     * @param decided whether a route of the earlier phase matched the request
     */
    List<Route.Match> matching(WebRequest request, Phase phase, boolean decided) {
        List<PathContainer> paths = RoutePaths.of(request);
        boolean again = decided && !all;
        if (again && paths.size() == 1) {
            return List.of();
        }
        // The form of the path that an earlier route matched is not matched again, but another one is.
        List<Route> routes = again ? all() : of(phase);
        List<Route.Match> matching = new ArrayList<>(2);
        for (PathContainer path : paths) {
            for (Route route : routes) {
                Route.Match matched = route.match(request, path, clients);
                if (matched != null && route.phase() == phase && !isIn(matching, route)) {
                    matching.add(matched);
                }
                if (matched != null && !all) {
                    break;
                }
            }
        }
        return matching;
    }

    /** Whether a route matched another form of the path. */
    private static boolean isIn(List<Route.Match> matching, Route route) {
        for (Route.Match match : matching) {
            if (match.route().property().equals(route.property())) {
                return true;
            }
        }
        return false;
    }
}
