package io.headgate.spring.web;

import io.headgate.http.attributes.ClientAddress;
import java.util.ArrayList;
import java.util.List;

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

    /** Returns the request of each route of a phase that decides it: the first one that matches, or all of them. */
    List<Route.Match> matching(WebRequest request, Phase phase) {
        List<Route> routes = of(phase);
        List<Route.Match> matching = List.of();
        for (int i = 0; i < routes.size(); i++) {
            Route.Match matched = routes.get(i).match(request, clients);
            if (matched != null && !all) {
                return List.of(matched);
            }
            if (matched != null) {
                matching = matching.isEmpty() ? new ArrayList<>(2) : matching;
                matching.add(matched);
            }
        }
        return matching;
    }
}
