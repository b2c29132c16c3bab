package io.headgate.limits;

import io.headgate.limits.internal.Quoted;

/**
 * A request had the id of another one of the same policy, which asked for other permits or had other attributes. Nothing was
 * charged for it.
 */
public final class RequestIdReusedException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    /** Says which id. */
    public RequestIdReusedException(String policy, RequestId id) {
        super("request id " + Quoted.of(id.value()) + " of policy " + policy
                + " was used for other permits or attributes; nothing was charged");
    }
}
