package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.util.Objects;

/**
 * What is asked of an in-flight policy.
 *
 * @param policy the policy that is asked
 * @param attributes what is known of the request; must have every dimension of the policy's rules
 * @param permits 1 to 100; more than a rule has are denied
 */
public record HoldRequest(InFlightPolicy policy, Attributes attributes, long permits) {

    /** Checks the permits. */
    public HoldRequest {
        Objects.requireNonNull(policy, "policy");
        Objects.requireNonNull(attributes, "attributes");
        Bounds.heldPermits(permits);
    }
}
