package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.Decision;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.CombinedPlanner;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to several policies that a caller waits for: the future of its decision. It is sent immediately, so it cannot be cancelled.
 * Safe for use by any number of threads.
 */
public final class PendingCombinedRequest extends PendingOutcome<CombinedDecision> {

    private final CombinedPlanner planner;
    private final List<AcquireRequest> parts;
    private final RequestDeadlines.Budget budget;
    private final Handler handler;

    /**
     * Handles the outcome. At most one of {@link #onDecision} and {@link #fallback} is called for a request, before its caller continues.
     */
    public interface Handler {

        /** Redis decided the request, and its caller is about to receive the decision. */
        void onDecision(PendingCombinedRequest pending, CombinedDecision decision);

        /** The request failed. Returns the decision that the caller receives instead; null if it receives the failure. */
        @Nullable
        CombinedDecision fallback(PendingCombinedRequest pending, Throwable failure);

        /** Returns the exception that the caller receives if there is no fallback decision. */
        Throwable failure(Throwable failure);

        /** Redis decided the request after its caller had received another decision. */
        void onLateDecision(PendingCombinedRequest pending, CombinedDecision decision, CombinedDecision returned);
    }

    /**
     * Creates a request that is not sent yet.
     *
     * @param parts the request to each policy
     * @param budget how long it may take
     */
    public PendingCombinedRequest(
            CombinedPlanner planner, List<AcquireRequest> parts, RequestDeadlines.Budget budget, Handler handler) {
        this.planner = planner;
        this.parts = parts;
        this.budget = budget;
        this.handler = handler;
    }

    CombinedPlanner planner() {
        return planner;
    }

    /** The request to each policy. */
    public List<AcquireRequest> parts() {
        return parts;
    }

    RequestDeadlines.Budget budget() {
        return budget;
    }

    /** Completes the request as its call did: with the decision of each policy, or with a failure. */
    void finish(@Nullable List<Decision> decisions, @Nullable Throwable failure) {
        if (decisions != null) {
            finishWith(new CombinedDecision(decisions));
        } else if (failure != null) {
            fail(failure);
        }
    }

    private void finishWith(CombinedDecision decision) {
        if (offer(decision)) {
            try {
                handler.onDecision(this, decision);
            } finally {
                // Also when a listener throws.
                complete(decision);
            }
        }
    }

    /** Fails the request without a reply. */
    void fail(String problem, boolean mayBeCharged) {
        fail(LimitFailures.INSTANCE.failure("acquire", parts.get(0).keys()[0], problem, mayBeCharged, null));
    }

    @Override
    @Nullable
    CombinedDecision fallback(Throwable failure) {
        return handler.fallback(this, failure);
    }

    @Override
    Throwable failure(Throwable failure) {
        return handler.failure(failure);
    }

    @Override
    void onLateDecision(CombinedDecision decision, CombinedDecision returned) {
        handler.onLateDecision(this, decision, returned);
    }

    @Override
    public boolean cancelUnsent() {
        return false;
    }
}
