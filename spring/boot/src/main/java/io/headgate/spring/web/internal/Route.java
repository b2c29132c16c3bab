package io.headgate.spring.web.internal;

import io.headgate.http.attributes.ClientAddress;
import io.headgate.spring.internal.FailureLog;
import io.headgate.spring.internal.PolicyProblems;
import io.headgate.spring.internal.expression.Expression;
import io.headgate.spring.web.WebProperties.Absent;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/**
 * A compiled route. Immutable and safe for use by any number of threads. It names its policy, and has no limiter: the policy may be
 * replaced at any time.
 *
 * @param property the property of the route, for example {@code headgate.web.routes[0]}
 * @param skip the condition of requests that are not limited; null if there is none
 * @param policy the name of the policy, or {@code none}, or an expression for it
 * @param values the dimensions with their values
 * @param permits the number of permits, or an expression for it
 */
record Route(
        String property,
        RouteConditions conditions,
        Phase phase,
        @Nullable Predicate<RouteRequest> skip,
        Setting<String> policy,
        List<Value> values,
        Setting<Long> permits,
        Absent absent,
        RefundOn refundOn,
        int status,
        boolean fields,
        FailureLog failures) {

    /** A dimension and its value. */
    record Value(String dimension, RouteValue value) {}

    /** A setting that is fixed, or an expression for it. */
    interface Setting<T> {

        /** Returns the setting for a request. The future is complete unless the expression is asynchronous; it fails with it. */
        CompletableFuture<T> of(RouteRequest request);

        /** Returns the setting if it is the same for all requests. */
        Optional<T> fixed();

        /** Returns a setting that is the same for all requests. */
        static <T> Setting<T> fixed(T value) {
            CompletableFuture<T> future = CompletableFuture.completedFuture(value);
            return new Setting<>() {
                @Override
                public CompletableFuture<T> of(RouteRequest request) {
                    return future;
                }

                @Override
                public Optional<T> fixed() {
                    return Optional.of(value);
                }
            };
        }

        /** Returns an expression for a setting. */
        static <T> Setting<T> expression(
                Expression expression, java.util.function.Function<Optional<Object>, T> convert) {
            return new Setting<>() {
                @Override
                public CompletableFuture<T> of(RouteRequest request) {
                    return request.evaluate(expression).thenApply(convert);
                }

                @Override
                public Optional<T> fixed() {
                    return Optional.empty();
                }
            };
        }
    }

    /** A request and the route that it matches. */
    record Match(Route route, RouteRequest request) {}

    /** Returns the match of this route; null if the request does not match. */
    @Nullable
    Match match(WebRequest request, PathContainer path, ClientAddress clients) {
        // If a route without a policy exempts requests, a condition that fails must not exempt them.
        boolean limits = !policy.fixed().equals(Optional.of(PolicyProblems.NONE));
        RouteRequest matched = conditions.match(request, path, failures, limits, clients);
        return matched == null ? null : new Match(this, matched);
    }
}
