package io.headgate.spring.web.servlet;

import io.headgate.spring.web.internal.Phase;
import io.headgate.spring.web.internal.RouteDecider;
import io.headgate.spring.web.internal.RouteDecision;
import io.headgate.spring.web.internal.RouteDecision.Admitted;
import io.headgate.spring.web.internal.RouteDecision.Denied;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.util.Set;
import org.springframework.web.cors.CorsUtils;

/**
 * Decides requests in one phase. An application has a filter before Spring Security and one after it. The first one also refunds permits,
 * as only it sees the outcome: after it, no exception is handled any more except by the container.
 */
final class RouteFilter implements Filter {

    private final Phase phase;
    private final RouteDecider decider;
    private final DenialWriter denials;
    private final CurrentRequest current;

    RouteFilter(Phase phase, RouteDecider decider, DenialWriter denials, CurrentRequest current) {
        this.phase = phase;
        this.decider = decider;
        this.denials = denials;
        this.current = current;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request instanceof HttpServletRequest http
                && response instanceof HttpServletResponse httpResponse
                && !CorsUtils.isPreFlightRequest(http)) {
            limit(http, httpResponse, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void limit(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        RequestState state = RequestState.of(request);
        RouteDecision decision = decider.decide(new ServletWebRequest(request), phase, state.decision());
        if (decision instanceof Denied denied) {
            denials.write(denied, request, response);
            return;
        }
        HttpServletResponse next = response;
        if (decision instanceof Admitted admitted && !admitted.fields().isEmpty()) {
            admitted.fields().forEach(response::setHeader);
            next = new LimitedResponse(response, admitted.fields().keySet());
        }
        if (decision.matched()) {
            state.decided(decision);
        }
        if (phase == Phase.BEFORE_AUTHENTICATION) {
            proceed(request, next, chain, state);
        } else {
            chain.doFilter(request, next);
        }
    }

    /** A response with fields of an admitted request. To add one of these fields replaces it, as a denial does that follows. */
    private static final class LimitedResponse extends HttpServletResponseWrapper {

        private final Set<String> fields;

        LimitedResponse(HttpServletResponse response, Set<String> fields) {
            super(response);
            this.fields = fields;
        }

        @Override
        public void addHeader(String name, String value) {
            if (isLimitField(name)) {
                setHeader(name, value);
            } else {
                super.addHeader(name, value);
            }
        }

        private boolean isLimitField(String name) {
            for (String field : fields) {
                if (field.equalsIgnoreCase(name)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Handles the request, and refunds its permits if the route refunds its outcome. Does not wait for the refund. */
    private void proceed(
            HttpServletRequest request, HttpServletResponse response, FilterChain chain, RequestState state)
            throws IOException, ServletException {
        boolean returned = false;
        current.set(state);
        try {
            chain.doFilter(request, response);
            returned = true;
        } finally {
            current.clear();
            if (state.dependsOnOutcome()) {
                if (request.isAsyncStarted()) {
                    request.getAsyncContext().addListener(new Completion(state, response));
                } else {
                    // The container answers an exception with 500, unless the response has been sent already.
                    int status = returned || response.isCommitted()
                            ? response.getStatus()
                            : HttpServletResponse.SC_INTERNAL_SERVER_ERROR;
                    state.completed(status);
                }
            }
        }
    }

    /** Refunds the permits of an asynchronous request when it has ended. */
    private record Completion(RequestState state, HttpServletResponse response) implements AsyncListener {

        @Override
        public void onComplete(AsyncEvent event) {
            state.completed(response.getStatus());
        }

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onError(AsyncEvent event) {}

        /** A further cycle has no listeners of the previous one. */
        @Override
        public void onStartAsync(AsyncEvent event) {
            event.getAsyncContext().addListener(this);
        }
    }
}
