package io.headgate.limits.internal;

import io.headgate.limits.PermitRequest;

/** Rejects request ids in calls that do not support them. */
public final class RequestIds {

    private RequestIds() {}

    /**
     * Returns the request if it has no request id.
     *
     * @param caller what was called, for the error: {@code peek}, {@code an in-flight limiter}
     * @throws IllegalArgumentException if it has one
     */
    public static PermitRequest requireNone(String caller, PermitRequest request) {
        request.requestId().ifPresent(id -> {
            throw new IllegalArgumentException(caller + " accepts no request id, but was given " + Quoted.of(id.value())
                    + "; only tryAcquire of a Limiter or AsyncLimiter accepts one");
        });
        return request;
    }
}
