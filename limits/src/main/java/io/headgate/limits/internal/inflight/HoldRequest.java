package io.headgate.limits.internal.inflight;

import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.internal.Bounds;
import java.util.Objects;

/**
 * A request for a hold.
 *
 * @param permits 1 to 100; a request for more permits than a rule has in all is denied
 */
record HoldRequest(InFlightPolicy policy, Attributes attributes, long permits) {

    /** Checks the permits. */
    HoldRequest {
        Objects.requireNonNull(policy, "policy");
        Objects.requireNonNull(attributes, "attributes");
        Bounds.heldPermits(permits);
    }
}
