package io.headgate.redis.internal.script;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The future of a call that may wait in a queue before it is sent and can be removed from that queue. Futures derived
 * from it remove the same call. In contrast, {@link #cancel} only completes the future and does not affect the call.
 */
public abstract class QueuedCall<R> extends CompletableFuture<R> {

    /** For subclasses, which own the queue. */
    protected QueuedCall() {}

    /**
     * Removes the call from its queue because its result is no longer needed.
     *
     * @return true if the call is certain never to be sent; false if it was sent already
     */
    public abstract boolean cancelUnsent();

    /**
     * Removes the call of the future from its queue, if the future belongs to a queued call.
     *
     * @return true if the call is certain never to be sent
     */
    public static boolean cancelUnsent(@Nullable CompletableFuture<?> future) {
        return future instanceof QueuedCall<?> queued && queued.cancelUnsent();
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Derived<>(this);
    }

    /** A future derived from that of the call. */
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
