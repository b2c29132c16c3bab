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
     * The limiter of a policy in force.
     *
     * @throws ProblemException with status 404 when there is none
     */
    AsyncInFlightLimiter named(String policy) {
        return policies.findInFlightLimiter(policy)
                .orElseThrow(() -> unknown(policy))
                .async();
    }

    /**
     * The limiter with which holds of a policy are renewed and released, also after it was removed.
     *
     * @throws ProblemException with status 404 when there is none
     */
    AsyncInFlightLimiter forRelease(String policy) {
        return policies.findLimiterForRelease(policy)
                .orElseThrow(() -> unknown(policy))
                .async();
    }

    private ProblemException unknown(String policy) {
        return ProblemException.notFound(
                policies.findLimiter(policy).isPresent()
                        ? "policy " + policy + " has no in-flight limits; send the request to /v1/check"
                        : "no policy is named " + Quoted.of(policy) + "; /v1/status lists them");
    }
}
