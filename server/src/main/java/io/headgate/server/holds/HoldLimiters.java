package io.headgate.server.holds;

import io.headgate.config.Policies;
import io.headgate.limits.AsyncInFlightLimiter;
import io.headgate.limits.LimitEngine;
import io.headgate.server.http.ProblemException;
import io.headgate.server.text.Quoted;
import java.util.LinkedHashMap;
import java.util.Map;

/** The policies of in-flight limits that this server answers for, each with its limiter. */
final class HoldLimiters {

    private final Policies policies;
    private final Map<String, AsyncInFlightLimiter> byName = new LinkedHashMap<>();

    HoldLimiters(LimitEngine limits, Policies policies) {
        this.policies = policies;
        policies.inFlight()
                .forEach(policy ->
                        byName.put(policy.name(), limits.inFlight(policy).async()));
    }

    /**
     * The limiter of that policy.
     *
     * @throws ProblemException with status 404 when there is none
     */
    AsyncInFlightLimiter named(String policy) {
        AsyncInFlightLimiter limiter = byName.get(policy);
        if (limiter == null) {
            throw ProblemException.notFound(
                    policies.find(policy).isPresent()
                            ? "policy " + policy + " has no in-flight limits; ask it at /v1/check"
                            : "no policy is named " + Quoted.of(policy) + "; /v1/status lists them");
        }
        return limiter;
    }
}
