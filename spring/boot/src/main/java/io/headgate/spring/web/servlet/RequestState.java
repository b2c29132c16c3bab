package io.headgate.spring.web.servlet;

import io.headgate.spring.web.internal.Outcome;
import io.headgate.spring.web.internal.RouteDecision;
import io.headgate.spring.web.internal.RouteDecision.Admitted;
import io.headgate.spring.web.internal.RouteDecision.NotLimited;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.stream.Stream;

/** What the filters know about a request: its decisions, and whether its user was authenticated. Safe for use by several threads. */
final class RequestState {

    private static final String ATTRIBUTE = RequestState.class.getName();

    private volatile List<Admitted> admitted = List.of();
    private volatile RouteDecision decision = NotLimited.UNMATCHED;
    private volatile boolean succeeded;
    private volatile boolean failed;

    private RequestState() {}

    /** Returns the state of a request. It is created by the first filter. */
    static RequestState of(HttpServletRequest request) {
        if (request.getAttribute(ATTRIBUTE) instanceof RequestState state) {
            return state;
        }
        RequestState state = new RequestState();
        request.setAttribute(ATTRIBUTE, state);
        return state;
    }

    RouteDecision decision() {
        return decision;
    }

    /** Notes the decision of a filter. The filters of a request decide one after another. */
    void decided(RouteDecision next) {
        decision = next;
        if (next instanceof Admitted charged && charged.dependsOnOutcome()) {
            admitted = Stream.concat(admitted.stream(), Stream.of(charged)).toList();
        }
    }

    /**
     * Notes the result of an attempt to authenticate. After a failed attempt, the user does not count as authenticated: otherwise, a client
     * could add valid credentials of its own to the guess of a password.
     */
    void authenticated(boolean success) {
        if (success) {
            succeeded = true;
        } else {
            failed = true;
        }
    }

    /** Starts to refund the permits whose routes refund this status, or the authentication. Never fails: a failure is logged. */
    void completed(int status) {
        Outcome outcome = new Outcome(status, succeeded && !failed);
        admitted.forEach(charged -> charged.refund(outcome));
    }

    /** Whether a refund depends on the outcome. */
    boolean dependsOnOutcome() {
        return !admitted.isEmpty();
    }
}
