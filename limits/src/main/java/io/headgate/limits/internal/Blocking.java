package io.headgate.limits.internal;

import io.headgate.limits.internal.inflight.HoldStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** Turns what is asked of an engine without waiting into what waits, no longer than the engine's time-out. */
public interface Blocking {

    /** For an engine that answers at once. */
    Blocking NEVER = new Blocking() {
        @Override
        public <T> T await(String operation, Supplier<CompletableFuture<T>> call) {
            try {
                return call.get().join();
            } catch (CompletionException e) {
                throw e.getCause() instanceof RuntimeException failure ? failure : e;
            }
        }
    };

    /**
     * The answer to the call, or what it fails with; when it gives up, the call is cancelled.
     *
     * @param operation what is asked, for messages
     */
    <T> T await(String operation, Supplier<CompletableFuture<T>> call);

    /** The same of what the store {@linkplain HoldStore#answersInAnyCase answers in any case}: an interrupt does not end the wait. */
    default <T> T awaitUninterruptibly(String operation, Supplier<CompletableFuture<T>> call) {
        return await(operation, call);
    }
}
