package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.LimiterException;
import io.headgate.redis.internal.script.QueuedCall;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The future of a decision that a caller waits for, while the reply of Redis and the caller's deadline race. The first of them, by
 * compare-and-set, determines what the caller receives. If the caller has received the decision of a fallback, a later decision of Redis
 * is passed to {@link #onLateDecision}, so that its charge is accounted for. Safe for use by any number of threads.
 *
 * @param <D> the decision
 */
abstract class PendingOutcome<D> extends QueuedCall<D> {

    /** The outcome while a thread determines what the caller of a failed request receives. */
    private static final Object UNDECIDED = new Object();

    /** The outcome of a caller that receives a failure. */
    private static final Object FAILED = new Object();

    // Not an atomic reference: there may be millions of requests a second.
    private static final VarHandle OUTCOME = field();

    /** What the caller receives: null for nothing yet, {@link #UNDECIDED}, {@link #FAILED} or a decision. */
    private volatile @Nullable Object outcome;

    private volatile boolean abandoned;

    /** The decision that the caller of a failed request receives instead; null if it receives the failure. */
    abstract @Nullable D fallback(Throwable failure);

    /** The exception that the caller receives if there is no fallback decision. */
    abstract Throwable failure(Throwable failure);

    /** Redis decided the request after its caller had received another decision. */
    abstract void onLateDecision(D decision, D returned);

    /**
     * Offers the decision of Redis as the outcome.
     *
     * @return true if the caller receives it, and this thread must complete the future; false if the request has failed before, for example
     *     at its deadline
     */
    @SuppressWarnings("unchecked") // every other object in the field is one of the two markers
    final boolean offer(D decision) {
        if (OUTCOME.compareAndSet(this, null, decision)) {
            return true;
        }
        // If another thread is in fail, it finds this decision and passes it on as late.
        if (!OUTCOME.compareAndSet(this, UNDECIDED, decision)) {
            Object returned = outcome;
            if (returned != null && returned != FAILED) {
                passLate(decision, (D) returned);
            }
        }
        return false;
    }

    /** Fails the request, unless its caller has an outcome already: the caller receives the fallback's decision, or the failure. */
    @SuppressWarnings("unchecked") // as above
    final void fail(Throwable failure) {
        if (!OUTCOME.compareAndSet(this, null, UNDECIDED)) {
            return;
        }
        D fallback = fallbackOrNull(failure);
        Object meanwhile = OUTCOME.getAndSet(this, fallback == null ? FAILED : fallback);
        if (fallback == null) {
            completeExceptionally(failure(failure));
        } else {
            complete(fallback);
            if (meanwhile != UNDECIDED) {
                passLate((D) meanwhile, fallback);
            }
        }
    }

    /** Null also when the fallback throws: the caller must receive something. */
    private @Nullable D fallbackOrNull(Throwable failure) {
        try {
            return fallback(failure);
        } catch (RuntimeException | Error e) {
            failure.addSuppressed(e);
            return null;
        }
    }

    /** The same decision may be offered twice, where two threads end a call at the same time; then it is not late. */
    @SuppressWarnings("ReferenceEquality") // whether it is the one that the caller received
    private void passLate(D decision, D returned) {
        if (decision != returned) {
            onLateDecision(decision, returned);
        }
    }

    /**
     * Fails the request for that reason, unless it has an outcome already. Returns the decision that its caller receives, or throws the
     * failure.
     */
    public final D abandon(LimiterException reason) {
        markAbandoned();
        fail(reason);
        try {
            return join();
        } catch (CompletionException e) {
            // For example when the engine is closed in the meantime.
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }

    /** Records that the caller stopped waiting. */
    final void markAbandoned() {
        abandoned = true;
    }

    /** Whether the caller stopped waiting. A failure after that is no sign of an outage of Redis. */
    public final boolean isAbandoned() {
        return abandoned;
    }

    private static VarHandle field() {
        try {
            return MethodHandles.lookup().findVarHandle(PendingOutcome.class, "outcome", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
