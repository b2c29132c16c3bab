package io.headgate.redis.internal.script;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The future of a call that may wait in a queue before it is sent, and can be cancelled until then. Futures derived from it cancel the
 * same call. This is not {@link #cancel}, which completes a future whatever becomes of its call.
 */
public abstract class QueuedCall<R> extends CompletableFuture<R> {

    /** For subclasses, which know their queue. */
    protected QueuedCall() {}

    /** Cancels the call if it was not sent, as nobody waits for its reply any more; whether it is certain that it never is sent. */
    public abstract boolean cancelUnsent();

    /** Cancels the call of a future in the same way, if it is one that may wait; whether it is certain that it never is sent. */
    public static boolean cancelUnsent(@Nullable CompletableFuture<?> future) {
        return future instanceof QueuedCall<?> queued && queued.cancelUnsent();
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Derived<>(this);
    }

    /** A future that is derived from that of the call. */
    private static final class Derived<U> extends QueuedCall<U> {

        private final QueuedCall<?> call;

        Derived(QueuedCall<?> call) {
            this.call = call;
        }

        @Override
        public boolean cancelUnsent() {
            return call.cancelUnsent();
        }
    }
}
