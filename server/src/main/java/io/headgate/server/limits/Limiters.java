package io.headgate.server.limits;

import com.linecorp.armeria.common.util.Exceptions;
import io.headgate.config.PolicyRegistry;
import io.headgate.http.Receipt;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.RequestId;
import io.headgate.limits.RequestIdReusedException;
import io.headgate.server.http.ProblemException;
import io.headgate.server.text.Quoted;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The limiters of the policies in force. */
final class Limiters {

    private final PolicyRegistry policies;

    Limiters(PolicyRegistry policies) {
        this.policies = policies;
    }

    /**
     * The limiter of that policy.
     *
     * @throws ProblemException with status 404 when there is none
     */
    AsyncLimiter named(String policy) {
        return policies.find(policy)
                .orElseThrow(() -> ProblemException.notFound(
                        policies.findInFlight(policy).isPresent()
                                ? "policy " + policy + " has in-flight limits; send the request to /v1/holds"
                                : "no policy is named " + Quoted.of(policy) + "; /v1/status lists them"))
                .async();
    }

    /**
     * Asks without waiting.
     *
     * @throws ProblemException with status 400 when the attributes are not what the policy needs; nothing is charged
     */
    static CompletionStage<Decision> ask(AsyncLimiter limiter, Map<String, String> attributes, long permits) {
        try {
            return limiter.tryAcquire(
                    PermitRequest.of(Attributes.of(attributes)).withPermits(permits));
        } catch (IllegalArgumentException e) {
            // What an engine throws at once is always about the arguments.
            throw ProblemException.badRequest(String.valueOf(e.getMessage()));
        }
    }

    /**
     * The same of a request that has an id.
     *
     * @throws ProblemException with status 400; what the stage fails with is one with status 422 when the id was used for
     *     another request
     */
    static CompletionStage<Decision> askOnce(
            AsyncLimiter limiter, Map<String, String> attributes, long permits, RequestId id) {
        try {
            return limiter.tryAcquire(PermitRequest.of(Attributes.of(attributes))
                            .withPermits(permits)
                            .withId(id))
                    .exceptionallyCompose(problem -> CompletableFuture.failedFuture(
                            Exceptions.peel(problem) instanceof RequestIdReusedException
                                    ? IdempotencyKey.reused()
                                    : problem));
        } catch (IllegalArgumentException e) {
            throw ProblemException.badRequest(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Takes back what a receipt or the oldest permits say.
     *
     * @throws ProblemException with status 400 when the attributes or the receipt are not of the policy
     */
    static CompletionStage<Long> refund(AsyncLimiter limiter, RefundRequest request) {
        try {
            Attributes attributes = Attributes.of(request.attributes());
            if (request.receipt().isEmpty()) {
                return limiter.refundOldest(PermitRequest.of(attributes).withPermits(request.permits()));
            }
            return Receipt.read(request.receipt().get(), limiter.policy())
                    .map(decision -> limiter.refund(attributes, decision))
                    .orElseGet(() -> CompletableFuture.completedFuture(0L));
        } catch (IllegalArgumentException e) {
            throw ProblemException.badRequest(String.valueOf(e.getMessage()));
        }
    }
}
