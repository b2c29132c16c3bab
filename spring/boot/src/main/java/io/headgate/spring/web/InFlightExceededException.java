package io.headgate.spring.web;

import io.headgate.http.LimitDescriptions;
import io.headgate.http.Problem;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.ErrorResponseException;

/**
 * A call was denied because too many others run at the same time. As a response it has the status 429, or for an outgoing call that of its
 * route, and no {@code Retry-After}. It has no stack trace, as denials may be many.
 */
public class InFlightExceededException extends ErrorResponseException {

    private static final long serialVersionUID = 1;
    private static final int STATUS = 429;

    private final String policyName;

    /**
     * Creates an exception.
     *
     * @param deniedBy the rule that denied the call; empty if a fallback denied it without a count
     */
    public InFlightExceededException(InFlightPolicy policy, Optional<InFlightRule> deniedBy) {
        super(HttpStatusCode.valueOf(STATUS), LimitExceededException.problemDetail(problem(policy, deniedBy)), null);
        this.policyName = policy.name();
    }

    /**
     * Creates an exception with a problem of its own.
     *
     * @param policyName the name of the policy that denied the call
     */
    public InFlightExceededException(String policyName, Problem problem) {
        super(HttpStatusCode.valueOf(problem.status()), LimitExceededException.problemDetail(problem), null);
        this.policyName = policyName;
    }

    /** Returns the name of the policy. */
    public String policyName() {
        return policyName;
    }

    /** Returns the detail of the problem. */
    @Override
    public String getMessage() {
        return String.valueOf(getBody().getDetail());
    }

    /** Adds no stack trace. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }

    private static Problem problem(InFlightPolicy policy, Optional<InFlightRule> deniedBy) {
        String reason = deniedBy.map(rule -> "Rule " + rule.name() + " has " + LimitDescriptions.of(rule)
                        + ", and too few are free. Try again when permits are released.")
                .orElse("Policy " + policy.name() + " denies all requests while its counts are unavailable.");
        return new Problem(
                Problem.QUOTA_EXCEEDED,
                "Quota exceeded",
                STATUS,
                reason,
                Map.of(
                        "policy",
                        policy.name(),
                        "violated-policies",
                        deniedBy.map(InFlightRule::name).map(List::of).orElse(List.of())));
    }
}
