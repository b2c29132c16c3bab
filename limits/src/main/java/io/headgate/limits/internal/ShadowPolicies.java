package io.headgate.limits.internal;

import io.headgate.limits.Fallback;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Policy;
import java.util.Optional;

/** The policies of {@linkplain LimitEngine#shadowLimiter shadow limiters}. */
public final class ShadowPolicies {

    private ShadowPolicies() {}

    /**
     * Returns a policy without the state that a shadow limiter would share with other limiters of the engine: a lease, whose permits limiters
     * of equal policies share; a fallback, which affects the health; and pauses.
     */
    public static Policy withoutSharedState(Policy policy) {
        return new Policy(
                policy.name(),
                policy.rules(),
                policy.colocation(),
                Optional.empty(),
                Optional.of(Fallback.none()),
                policy.overrides(),
                false);
    }
}
