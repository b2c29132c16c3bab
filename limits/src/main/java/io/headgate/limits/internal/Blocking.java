package io.headgate.limits.internal;

import io.headgate.limits.internal.inflight.HoldStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** Turns asynchronous calls into blocking ones: waits for the result of a call, no longer than the engine's timeout. */
public interface Blocking {

    /** For an engine whose calls are complete when they return, so that nothing waits. */
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
     * Returns the result of a call, or throws its exception. Also throws an exception if the call does not complete in time or the caller
     * is interrupted. A call that was not sent by then is not sent any more.
     *
     * @param operation the name of the call, for error messages
     */
    <T> T await(String operation, Supplier<CompletableFuture<T>> call);

    /**
     * Waits as {@link #await} does, but an interrupt does not end the wait. For calls that the store {@linkplain
     * HoldStore#answersInAnyCase always completes in time}. This default is for engines whose calls never wait.
     */
    default <T> T awaitUninterruptibly(String operation, Supplier<CompletableFuture<T>> call) {
        return await(operation, call);
    }
}
