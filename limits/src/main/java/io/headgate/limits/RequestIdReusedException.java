package io.headgate.limits;

import io.headgate.limits.internal.Quoted;

/**
 * Thrown when a {@link RequestId} was used before, in the same policy, for other permits or other values of the policy's dimensions.
 * Nothing is charged for the request.
 */
public final class RequestIdReusedException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    /** Creates an exception for an id of a policy. */
    public RequestIdReusedException(String policy, RequestId id) {
        super("request id " + Quoted.of(id.value()) + " of policy " + policy
                + " was used for other permits or dimension values; nothing was charged");
    }
}
