package io.headgate.server.holds;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.AsyncInFlightLimiter;
import io.headgate.server.http.ProblemException;
import io.headgate.server.text.Quoted;

/** The limiters of the policies of in-flight limits in force. */
final class HoldLimiters {

    private final PolicyRegistry policies;

    HoldLimiters(PolicyRegistry policies) {
        this.policies = policies;
    }

    /**
     * The limiter of that policy.
     *
     * @throws ProblemException with status 404 when there is none
     */
    AsyncInFlightLimiter named(String policy) {
        return policies.findInFlight(policy)
                .orElseThrow(() -> ProblemException.notFound(
                        policies.find(policy).isPresent()
                                ? "policy " + policy + " has no in-flight limits; send the request to /v1/check"
                                : "no policy is named " + Quoted.of(policy) + "; /v1/status lists them"))
                .async();
    }
}
