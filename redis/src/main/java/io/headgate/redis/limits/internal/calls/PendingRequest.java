package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.decision.EngineDecision;
import io.headgate.redis.internal.connection.RedisProblems;
import io.headgate.redis.internal.script.QueuedCall;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request to acquire that a caller waits for: the future of its decision. Until it is sent it can be cancelled, and then it is
 * certain that nothing is charged.
 *
 * <p>Safe for use by any number of threads. Two states change by compare-and-set. The first decides between sending and
 * cancelling, so a request that waits for a batch is never sent after it was cancelled. The second decides what the caller receives,
 * as the reply of Redis and the deadline race: the first of them wins. A decision of Redis that loses is passed to the handler, so
 * that what it charged is accounted for.
 */
public final class PendingRequest extends QueuedCall<Decision> {

    private enum Stage {
        WAITING,
        SENT,
        CANCELLED
    }

    /** The result while a thread decides what the caller of a failed request receives. */
    private static final Object UNDECIDED = new Object();

    private final AcquireRequest request;
    private final PolicyPlanner planner;
    private final Handler handler;

    // Not atomic references: there may be millions of requests a second.
    private static final VarHandle STAGE = field("stage", Stage.class);
    private static final VarHandle OUTCOME = field("outcome", Object.class);

    private volatile Stage stage = Stage.WAITING;

    /** What the caller receives: null for nothing yet, {@link #UNDECIDED}, a decision or a failure. */
    private volatile @Nullable Object outcome;

    private volatile boolean abandoned;

    /** Is called when the request is cancelled; null where it does not wait to be sent. */
    private volatile @Nullable Consumer<PendingRequest> whenCancelled;

    /**
     * What a limiter does with the outcome of its requests. Of one request, at most one of {@link #onDecision} and {@link #fallback}
     * is called, before the caller receives the result.
     */
    public interface Handler {

        /** Caches what Redis decided. Of several requests in one step this is called once, before the first of their callers continues. */
        default void cache(PendingRequest pending, Decision decision) {}

        /**
         * Redis decided the request, and its caller is about to receive the decision.
         *
         * @param isNewest whether this is the latest decision for these ids in its reply
         */
        default void onDecision(PendingRequest pending, Decision decision, boolean isNewest) {}

        /** The request failed: the decision that the caller receives instead; null where it receives the failure. */
        default @Nullable Decision fallback(PendingRequest pending, Throwable failure) {
            return null;
        }

        /** The failure that the caller receives where there is no fallback. */
        default Throwable failure(Throwable failure) {
            return failure;
        }

        /** Redis decided the request after its caller had received another decision. */
        default void onLateDecision(PendingRequest pending, Decision decision, Decision returned) {}

        /** The request failed as a part of a batch, because one of these keys holds a value that Headgate did not store. */
        default void onForeignValue(List<String> keys) {}
    }

    /**
     * A request that is not sent yet.
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

    /** The request waits to be sent from now on; the callback is called when its caller cancels it before that. */
    void awaitSending(Consumer<PendingRequest> callback) {
        whenCancelled = callback;
    }

    /** Cancels the request if it waits to be sent; whether it is certain that it never is. */
    @Override
    public boolean cancelUnsent() {
        Consumer<PendingRequest> callback = whenCancelled;
        abandoned = true;
        if (callback != null && beginCancelling()) {
            callback.accept(this);
        }
        return stage == Stage.CANCELLED;
    }

    /** Claims the request for sending; false when it was cancelled before. The thread that succeeds sends it. */
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
        // First of all, as a caller that continues may make its next request at once.
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
        if (OUTCOME.compareAndSet(this, null, decision)) {
            try {
                handler.onDecision(this, decision, isNewest);
            } finally {
                // Also when a listener throws.
                complete(decision);
            }
        } else if (!OUTCOME.compareAndSet(this, UNDECIDED, decision) && outcome instanceof Decision returned) {
            // This may be called twice, where two threads stop a call at once, and then it is the same decision.
            passLate(decision, returned);
        }
    }

    /** The reply and the deadline may come at once; the first of them decides what the caller receives. */
    private void fail(Throwable failure) {
        if (!OUTCOME.compareAndSet(this, null, UNDECIDED)) {
            return;
        }
        Decision fallback = fallback(failure);
        Object meanwhile = OUTCOME.getAndSet(this, fallback == null ? failure : fallback);
        if (fallback == null) {
            completeExceptionally(handler.failure(failure));
        } else {
            complete(fallback);
            if (meanwhile instanceof Decision decision) {
                passLate(decision, fallback);
            }
        }
    }

    /** Null also when the handler throws: the caller must receive something. */
    private @Nullable Decision fallback(Throwable failure) {
        try {
            return handler.fallback(this, failure);
        } catch (RuntimeException | Error e) {
            failure.addSuppressed(e);
            return null;
        }
    }

    /** Ends the wait of the caller, for that reason; what the caller receives, or has received. */
    public Decision abandon(LimiterException reason) {
        abandoned = true;
        fail(reason);
        try {
            return join();
        } catch (CompletionException e) {
            // As where the engine is closed meanwhile.
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }

    /** Whether the caller stopped waiting, so that a failure is no sign of an outage of Redis. */
    public boolean isAbandoned() {
        return abandoned;
    }

    @SuppressWarnings("ReferenceEquality") // whether it is the one that the caller received
    private void passLate(Decision decision, Decision returned) {
        if (decision != returned) {
            handler.onLateDecision(this, decision, returned);
        }
    }

    private static VarHandle field(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(PendingRequest.class, name, type);
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
