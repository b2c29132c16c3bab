package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.util.Objects;

/**
 * What is asked of a policy.
 *
 * @param policy the policy that is asked
 * @param attributes what is known of the request; must have every dimension of the policy's rules
 * @param permits at least 1; more than the limit is denied, and will be for ever
 */
public record Request(Policy policy, Attributes attributes, long permits) {

    /** Checks the permits. */
    public Request {
        Objects.requireNonNull(policy, "policy");
        Objects.requireNonNull(attributes, "attributes");
        Bounds.requestedPermits(permits);
    }
}
