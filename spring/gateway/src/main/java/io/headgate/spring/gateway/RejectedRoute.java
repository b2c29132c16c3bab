package io.headgate.spring.gateway;

import io.headgate.http.Problem;
import io.headgate.spring.web.RejectedRequestException;

/** What happens to the requests of a route whose filter has wrong settings: without a limit, the upstream would be unprotected. */
final class RejectedRoute {

    private static final int UNAVAILABLE = 503;

    private RejectedRoute() {}

    static RejectedRequestException exception() {
        return new RejectedRequestException(
                Problem.of(UNAVAILABLE, "The limit of this route is not configured correctly."));
    }
}
