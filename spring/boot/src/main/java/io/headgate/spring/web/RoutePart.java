package io.headgate.spring.web;

import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;

/** What a route does with a request that it matches. */
sealed interface RoutePart {

    /** The route does not limit the request. */
    record None() implements RoutePart {}

    /** The route needs permits. */
    record Charge(Route route, Limiter limiter, PermitRequest request) implements RoutePart {}

    /**
     * The route denies the request, because it lacks a value.
     *
     * @param detail what is missing
     */
    record Incomplete(String detail) implements RoutePart {}
}
