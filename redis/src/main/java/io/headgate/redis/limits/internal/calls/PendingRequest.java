package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.decision.EngineDecision;
import io.headgate.redis.internal.connection.RedisProblems;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request to acquire that a caller waits for: the future of its decision. It can be cancelled until it is sent; a cancelled request
 * certainly charges nothing.
 *
 * <p>Safe for use by any number of threads. Sending and cancelling race by compare-and-set, so a request that waits for a batch is
 * never sent after it was cancelled.
 */
public final class PendingRequest extends PendingOutcome<Decision> {

    private enum Stage {
        WAITING,
        SENT,
        CANCELLED
    }

    private final AcquireRequest request;
    private final PolicyPlanner planner;
    private final Handler handler;

    // Not an atomic reference: there may be millions of requests a second.
    private static final VarHandle STAGE = field();

    private volatile Stage stage = Stage.WAITING;

    /** Receives the request when it is cancelled; null if it was never queued. */
    private volatile @Nullable Consumer<PendingRequest> whenCancelled;

    /**
     * What a limiter does with the outcome of its requests. Of one request, at most one of {@link #onDecision} and {@link #fallback}
     * is called, before the caller receives the result.
     */
    public interface Handler {

        /**
         * Caches what Redis decided. Of equal requests that share a step of a batch (see {@code BatchSteps}), this is called for the last
         * one only, before the first of their callers continues.
         */
        default void cache(PendingRequest pending, Decision decision) {}

        /**
         * Redis decided the request, and its caller is about to receive the decision.
         *
         * @param isNewest whether this is the last decision of its step, whose requests are equal
         */
        default void onDecision(PendingRequest pending, Decision decision, boolean isNewest) {}

        /** The request failed. Returns the decision that the caller receives instead; null if it receives the failure. */
        default @Nullable Decision fallback(PendingRequest pending, Throwable failure) {
            return null;
        }

        /** Returns the exception that the caller receives if there is no fallback decision. */
        default Throwable failure(Throwable failure) {
            return failure;
        }

        /** Redis decided the request after its caller had received another decision. */
        default void onLateDecision(PendingRequest pending, Decision decision, Decision returned) {}

        /** The request failed as a part of a batch, because one of these keys holds a value that Headgate did not store. */
        default void onForeignValue(List<String> keys) {}
    }

    /**
     * Creates a request that is not sent yet.
     *
     * @param planner plans its call, by the version of the policy at the time of the request
     */
    public PendingRequest(AcquireRequest request, PolicyPlanner planner, Handler handler) {
        this.request = request;
        this.planner = planner;
        this.handler = handler;
    }

    public AcquireRequest request() {
        return request;
    }

    PolicyPlanner planner() {
        return planner;
    }

    /** Records that the request waits to be sent from now on. The callback receives the request if its caller cancels it while it waits. */
    void awaitSending(Consumer<PendingRequest> callback) {
        whenCancelled = callback;
    }

    /** Records that the caller stopped waiting, and cancels the request if it waits to be sent. Returns true if it is never sent. */
    @Override
    public boolean cancelUnsent() {
        Consumer<PendingRequest> callback = whenCancelled;
        markAbandoned();
        if (callback != null && beginCancelling()) {
            callback.accept(this);
        }
        return stage == Stage.CANCELLED;
    }

    /** Claims the request for sending; false if it was sent or cancelled before. The thread that succeeds sends it. */
    boolean beginSending() {
        return STAGE.compareAndSet(this, Stage.WAITING, Stage.SENT);
    }

    /** Claims the request for cancelling; false when it was sent or cancelled before. The thread that succeeds fails it. */
    boolean beginCancelling() {
        return STAGE.compareAndSet(this, Stage.WAITING, Stage.CANCELLED);
    }

    /** Completes the request as its call did: with a decision, or with a failure. */
    void finish(@Nullable Decision decision, @Nullable Throwable failure) {
        if (decision != null) {
            finishAll(List.of(this), List.of(withChargeId(decision)));
        } else if (failure != null) {
            fail(withOwnKey(failure));
        }
    }

    /** A decision that Redis repeats for the same request id is one decision, and can be refunded once. */
    private Decision withChargeId(Decision decision) {
        AcquireRequest.Id id = request.id();
        return id == null || decision.charged() == 0
                ? decision
                : EngineDecision.require(decision).chargedOnceAs(id.value());
    }

    /** Completes the requests of one step. The last decision is the latest, and the only one that is cached. */
    static void finishAll(List<PendingRequest> step, List<Decision> decisions) {
        int last = step.size() - 1;
        // Before any caller continues, as it may make its next request immediately.
        PendingRequest newest = step.get(last);
        newest.handler.cache(newest, decisions.get(last));
        for (int i = 0; i <= last; i++) {
            step.get(i).finishWith(decisions.get(i), i == last);
        }
    }

    /** Fails the request without a reply. */
    void fail(String problem, boolean mayBeCharged) {
        fail(LimitFailures.INSTANCE.failure("acquire", request.keys()[0], problem, mayBeCharged, null));
    }

    /** Fails the request with an error of Redis, which charged nothing. */
    void failWithError(String error) {
        RuntimeException failure = scriptFailure(request, error);
        if (LimitFailures.concernsOneKey(failure)) {
            handler.onForeignValue(List.of(request.keys()));
        }
        fail(failure);
    }

    /** The failure of a request whose script returned that error. */
    static RuntimeException scriptFailure(AcquireRequest request, String error) {
        return RedisProblems.ofScript(LimitFailures.INSTANCE, "acquire", request.keys()[0], error);
    }

    private void finishWith(Decision decision, boolean isNewest) {
        if (offer(decision)) {
            try {
                handler.onDecision(this, decision, isNewest);
            } finally {
                // Also when a listener throws.
                complete(decision);
            }
        }
    }

    @Override
    @Nullable
    Decision fallback(Throwable failure) {
        return handler.fallback(this, failure);
    }

    @Override
    Throwable failure(Throwable failure) {
        return handler.failure(failure);
    }

    @Override
    void onLateDecision(Decision decision, Decision returned) {
        handler.onLateDecision(this, decision, returned);
    }

    private static VarHandle field() {
        try {
            return MethodHandles.lookup().findVarHandle(PendingRequest.class, "stage", Stage.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The failure of a call that several requests share, with the key of this one. */
    private Throwable withOwnKey(Throwable failure) {
        return failure instanceof LimiterException of
                ? new LimiterException(of.operation(), request.keys()[0], of.problem(), of.mayBeCharged(), of)
                : failure;
    }
}
