package io.headgate.spring.web.servlet;

import io.headgate.spring.web.MatchedPath;
import io.headgate.spring.web.internal.Outcome;
import io.headgate.spring.web.internal.Phase;
import io.headgate.spring.web.internal.RouteDecider;
import io.headgate.spring.web.internal.RouteDecision;
import io.headgate.spring.web.internal.RouteDecision.Admitted;
import io.headgate.spring.web.internal.RouteDecision.Denied;
import io.headgate.spring.web.internal.RouteDecision.NotLimited;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import java.util.Optional;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.cors.CorsUtils;

/** The limit of a filter that selects requests itself. Safe for use by any number of threads. */
public final class RequestLimit {

    private final RouteDecider decider;

    RequestLimit(RouteDecider decider) {
        this.decider = decider;
    }

    /** A request that is admitted, or not limited. */
    public static final class Admission {

        private final Optional<Admitted> admitted;

        private Admission(Optional<Admitted> admitted) {
            this.admitted = admitted;
        }

        /** Returns the header fields of the response by name; empty if the request is not limited. */
        public Map<String, String> fields() {
            return admitted.map(Admitted::fields).orElse(Map.of());
        }

        /** Refunds the permits if the route refunds this status. Does not wait for the refund. */
        public void completed(int status) {
            admitted.ifPresent(charged -> charged.refund(new Outcome(status, false)));
        }
    }

    /**
     * Decides a request, and charges its permits. Blocks until the engine replies.
     *
     * @param path what the application's route matched of the path
     * @throws ErrorResponseException if the request is denied; mostly a {@link io.headgate.spring.web.LimitExceededException}
     */
    public Admission admit(HttpServletRequest request, MatchedPath path) {
        if (CorsUtils.isPreFlightRequest(request)) {
            return new Admission(Optional.empty());
        }
        RouteDecision decision =
                decider.decide(new ServletWebRequest(request, path), Phase.AFTER_AUTHENTICATION, NotLimited.UNMATCHED);
        if (decision instanceof Denied denied) {
            throw denied.exception();
        }
        return new Admission(decision instanceof Admitted admitted ? Optional.of(admitted) : Optional.empty());
    }
}
