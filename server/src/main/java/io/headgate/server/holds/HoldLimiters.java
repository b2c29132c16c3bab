package io.headgate.server.holds;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.AsyncInFlightLimiter;
import io.headgate.server.http.ProblemException;
import io.headgate.server.text.Quoted;

/** Finds the limiters of the current policies with in-flight limits. */
final class HoldLimiters {

    private final PolicyRegistry policies;

    HoldLimiters(PolicyRegistry policies) {
        this.policies = policies;
    }

    /**
     * The limiter of a current policy.
     *
     * @throws ProblemException with status 404 if there is none
     */
    AsyncInFlightLimiter named(String policy) {
        return policies.findInFlightLimiter(policy)
                .orElseThrow(() -> unknown(policy))
                .async();
    }

    /**
     * The limiter that renews and releases holds of a policy. It also exists after the policy was removed.
     *
     * @throws ProblemException with status 404 if there is none
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
