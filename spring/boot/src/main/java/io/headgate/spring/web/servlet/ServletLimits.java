package io.headgate.spring.web.servlet;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.LimitEngine;
import io.headgate.spring.web.WebProperties;
import io.headgate.spring.web.internal.Outcome;
import io.headgate.spring.web.internal.Phase;
import io.headgate.spring.web.internal.RouteCompiler;
import io.headgate.spring.web.internal.RouteDecider;
import io.headgate.spring.web.internal.RouteDecision;
import io.headgate.spring.web.internal.RouteDecision.Admitted;
import io.headgate.spring.web.internal.RouteDecision.Denied;
import io.headgate.spring.web.internal.RouteDecision.NotLimited;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.web.cors.CorsUtils;

/**
 * Creates filters that limit requests by a route of their own, for gateways. A denial is an exception, so that the application's handlers
 * receive it. Safe for use by any number of threads.
 */
public final class ServletLimits {

    private final WebProperties properties;
    private final PolicyRegistry registry;
    private final LimitEngine engine;
    private final BeanFactory beans;

    ServletLimits(WebProperties properties, PolicyRegistry registry, LimitEngine engine, BeanFactory beans) {
        this.properties = properties;
        this.registry = registry;
        this.engine = engine;
        this.beans = beans;
    }

    /** Limits requests. Safe for use by any number of threads. */
    public interface Filter {

        /**
         * Decides a request, and blocks until the engine replies.
         *
         * @throws org.springframework.web.ErrorResponseException if the request is denied
         */
        Permission admit(HttpServletRequest request);
    }

    /** The permission to handle one request. */
    public interface Permission {

        /** Returns the rate-limit fields of the response by name. */
        Map<String, String> fields();

        /** Refunds the permits if the route refunds this status of the response. Does not wait. */
        void completed(int status);
    }

    private static final Permission UNLIMITED = new Permission() {
        @Override
        public Map<String, String> fields() {
            return Map.of();
        }

        @Override
        public void completed(int status) {}
    };

    private record Charged(Admitted admitted) implements Permission {

        @Override
        public Map<String, String> fields() {
            return admitted.fields();
        }

        @Override
        public void completed(int status) {
            if (admitted.dependsOnOutcome()) {
                admitted.refund(new Outcome(status, false));
            }
        }
    }

    /**
     * Creates a filter.
     *
     * @param property what the route is called in errors and logs
     * @throws io.headgate.config.ConfigException if the route is wrong
     */
    public Filter filter(String property, WebProperties.Route route) {
        RouteDecider decider = new RouteDecider(
                RouteCompiler.compileOne(properties, property, route, registry, beans, UnaryOperator.identity()),
                registry,
                engine,
                properties.reset());
        return request -> {
            if (CorsUtils.isPreFlightRequest(request)) {
                return UNLIMITED;
            }
            RouteDecision decision =
                    decider.decide(new ServletWebRequest(request), Phase.AFTER_AUTHENTICATION, NotLimited.UNMATCHED);
            if (decision instanceof Denied denied) {
                throw denied.thrown();
            }
            return decision instanceof Admitted admitted ? new Charged(admitted) : UNLIMITED;
        };
    }
}
