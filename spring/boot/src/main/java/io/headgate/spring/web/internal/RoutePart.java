package io.headgate.spring.web.internal;

import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;

/** What a route does with a request that it matches. */
sealed interface RoutePart {

    /** The route does not limit the request. */
    record None() implements RoutePart {}

    /** The route needs permits. */
    record Charge(Route route, Limiter limiter, PermitRequest request) implements RoutePart {}

    /**
     * The route denies the request without a limiter, for example because it lacks a value.
     *
     * @param status the status of the response
     * @param detail the reason, for example what is missing
     */
    record Rejected(int status, String detail) implements RoutePart {}
}
