package io.headgate.server.limits;

import com.linecorp.armeria.common.util.Exceptions;
import io.headgate.config.PolicyRegistry;
import io.headgate.http.Receipt;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimitEngine;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.RequestId;
import io.headgate.limits.RequestIdReusedException;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.limits.combined.CombinedRequest;
import io.headgate.server.http.ProblemException;
import io.headgate.server.text.Quoted;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Finds the limiters of the current policies, and sends requests to them. */
final class Limiters {

    private final PolicyRegistry policies;
    private final LimitEngine engine;

    /**
     * Finds limiters in a registry.
     *
     * @param engine the engine that has created the limiters of the registry
     */
    Limiters(PolicyRegistry policies, LimitEngine engine) {
        this.policies = policies;
        this.engine = engine;
    }

    /**
     * The limiter of a current policy.
     *
     * @throws ProblemException with status 404 if there is none
     */
    AsyncLimiter named(String policy) {
        return find(policy).async();
    }

    private Limiter find(String policy) {
        return policies.findLimiter(policy).orElseThrow(() -> unknown(policy));
    }

    /**
     * The limiter that refunds decisions of a policy. It also exists after the policy was removed.
     *
     * @throws ProblemException with status 404 if there is none
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
     * @return the decision; fails with a ProblemException with status 422 if the id was used for another request
     * @throws ProblemException with status 400 if an attribute is invalid or a dimension is missing; nothing is charged
     */
    static CompletionStage<Decision> tryAcquire(
            AsyncLimiter limiter, Map<String, String> attributes, long permits, Optional<RequestId> id) {
        try {
            PermitRequest request = PermitRequest.of(Attributes.of(attributes)).withPermits(permits);
            if (id.isEmpty()) {
                return limiter.tryAcquire(request);
            }
            return limiter.tryAcquire(request.withId(id.get()))
                    .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                            Exceptions.peel(failure) instanceof RequestIdReusedException
                                    ? IdempotencyKey.reused()
                                    : failure));
        } catch (IllegalArgumentException e) {
            // The engine throws only for invalid arguments; it returns other failures in the stage.
            throw ProblemException.badRequest(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Requests permits of several policies without blocking: all are charged, or none is.
     *
     * @throws ProblemException with status 404 if a policy is unknown; with status 400 if an attribute is invalid, a dimension is missing,
     *     two requests would be charged to the same count, or the policies have more than 16 rules together. In each case, nothing is
     *     charged.
     */
    CompletionStage<CombinedDecision> tryAcquire(List<CheckRequest> checks) {
        List<CombinedRequest.Part> parts = new ArrayList<>();
        try {
            for (CheckRequest check : checks) {
                PermitRequest request =
                        PermitRequest.of(Attributes.of(check.attributes())).withPermits(check.permits());
                parts.add(new CombinedRequest.Part(find(check.policy()), request));
            }
            return engine.tryAcquireAsync(new CombinedRequest(parts));
        } catch (IllegalArgumentException e) {
            throw ProblemException.badRequest(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Refunds the decision of a receipt, or the oldest permits.
     *
     * @return the number of permits refunded under one rule; if the numbers differ, the largest. 0 if none was refunded, for example
     *     because the policy no longer has the rules of the receipt
     * @throws ProblemException with status 400 if an attribute is invalid or a dimension is missing, or the receipt is invalid or belongs
     *     to another policy
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
