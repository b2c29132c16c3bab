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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The limiters of the policies in force. */
final class Limiters {

    private final PolicyRegistry policies;

    Limiters(PolicyRegistry policies) {
        this.policies = policies;
    }

    /**
     * The limiter of a policy in force.
     *
     * @throws ProblemException with status 404 when there is none
     */
    AsyncLimiter named(String policy) {
        return policies.findLimiter(policy).orElseThrow(() -> unknown(policy)).async();
    }

    /**
     * The limiter with which decisions of a policy are refunded, also after it was removed.
     *
     * @throws ProblemException with status 404 when there is none
     */
    AsyncLimiter forRefund(String policy) {
        return policies.findLimiterForRefund(policy)
                .orElseThrow(() -> unknown(policy))
                .async();
    }

    private ProblemException unknown(String policy) {
        return ProblemException.notFound(
                policies.findInFlightLimiter(policy).isPresent()
                        ? "policy " + policy + " has in-flight limits; send the request to /v1/holds"
                        : "no policy is named " + Quoted.of(policy) + "; /v1/status lists them");
    }

    /**
     * Requests permits without blocking.
     *
     * @param id the id under which the client can repeat the request, if it has given one
     * @throws ProblemException with status 400 if the attributes do not suit the policy; nothing is charged. The stage fails with one
     *     with status 422 if the id was used for another request.
     */
    static CompletionStage<Decision> tryAcquire(
            AsyncLimiter limiter, Map<String, String> attributes, long permits, Optional<RequestId> id) {
        try {
            PermitRequest request = PermitRequest.of(Attributes.of(attributes)).withPermits(permits);
            if (id.isEmpty()) {
                return limiter.tryAcquire(request);
            }
            return limiter.tryAcquire(request.withId(id.get()))
                    .exceptionallyCompose(problem -> CompletableFuture.failedFuture(
                            Exceptions.peel(problem) instanceof RequestIdReusedException
                                    ? IdempotencyKey.reused()
                                    : problem));
        } catch (IllegalArgumentException e) {
            // The engine throws errors of the arguments only.
            throw ProblemException.badRequest(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Refunds the decision of a receipt, or the oldest permits.
     *
     * @throws ProblemException with status 400 if the attributes or the receipt do not suit the policy
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
