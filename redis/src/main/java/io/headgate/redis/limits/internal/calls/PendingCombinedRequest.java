package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.CombinedPlanner;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A request to several policies that a caller waits for: the future of its decision. As in {@link PendingRequest}, the reply of Redis and
 * the deadline race, and the first of them wins. A decision of Redis that loses is passed to the handler, so that what it charged is
 * accounted for. Safe for use by any number of threads.
 */
public final class PendingCombinedRequest extends CompletableFuture<CombinedDecision> {

    /** The outcome while a thread decides what the caller of a failed request receives. */
    private static final Object UNDECIDED = new Object();

    private final CombinedPlanner planner;
    private final List<AcquireRequest> parts;
    private final RequestDeadlines.Budget budget;
    private final Handler handler;

    /** What the caller receives: null for nothing yet, {@link #UNDECIDED}, a decision or a failure. */
    private final AtomicReference<@Nullable Object> outcome = new AtomicReference<>();

    private volatile boolean abandoned;

    /** What an engine does with the outcome. At most one of {@link #onDecision} and {@link #fallback} is called, before the caller continues. */
    public interface Handler {

        /** Redis decided the request, and its caller is about to receive the decision. */
        void onDecision(PendingCombinedRequest pending, CombinedDecision decision);

        /** The request failed: the decision that the caller receives instead; null where it receives the failure. */
        @Nullable
        CombinedDecision fallback(PendingCombinedRequest pending, Throwable failure);

        /** The failure that the caller receives where there is no fallback. */
        Throwable failure(Throwable failure);

        /** Redis decided the request after its caller had received another decision. */
        void onLateDecision(PendingCombinedRequest pending, CombinedDecision decision, CombinedDecision returned);
    }

    /**
     * A request that is not sent yet.
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
            decided(new CombinedDecision(decisions));
        } else if (failure != null) {
            fail(failure);
        }
    }

    private void decided(CombinedDecision decision) {
        if (outcome.compareAndSet(null, decision)) {
            try {
                handler.onDecision(this, decision);
            } finally {
                complete(decision);
            }
        } else if (!outcome.compareAndSet(UNDECIDED, decision) && outcome.get() instanceof CombinedDecision returned) {
            passLate(decision, returned);
        }
    }

    @SuppressWarnings("ReferenceEquality") // whether it is the one that the caller received
    private void passLate(CombinedDecision decision, CombinedDecision returned) {
        if (decision != returned) {
            handler.onLateDecision(this, decision, returned);
        }
    }

    /** Fails the request without a reply. */
    void fail(String problem, boolean mayBeCharged) {
        fail(LimitFailures.INSTANCE.failure("acquire", parts.get(0).keys()[0], problem, mayBeCharged, null));
    }

    private void fail(Throwable failure) {
        if (!outcome.compareAndSet(null, UNDECIDED)) {
            return;
        }
        CombinedDecision fallback = fallback(failure);
        Object meanwhile = outcome.getAndSet(fallback == null ? failure : fallback);
        if (fallback == null) {
            completeExceptionally(handler.failure(failure));
        } else {
            complete(fallback);
            if (meanwhile instanceof CombinedDecision decision) {
                handler.onLateDecision(this, decision, fallback);
            }
        }
    }

    /** Null also when the handler throws: the caller must receive something. */
    private @Nullable CombinedDecision fallback(Throwable failure) {
        try {
            return handler.fallback(this, failure);
        } catch (RuntimeException | Error e) {
            failure.addSuppressed(e);
            return null;
        }
    }

    /** Ends the wait of the caller, for that reason; what the caller receives, or has received. */
    public CombinedDecision abandon(LimiterException reason) {
        abandoned = true;
        fail(reason);
        try {
            return join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }

    /** Whether the caller stopped waiting, so that a failure is no sign of an outage of Redis. */
    public boolean isAbandoned() {
        return abandoned;
    }
}
