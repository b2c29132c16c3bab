package io.headgate.spring.internal;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** How blocking decisions wait for futures. */
public final class Futures {

    private Futures() {}

    /** Waits until a future is complete, and returns it. It may have failed. */
    public static <T> CompletableFuture<T> settled(CompletableFuture<T> future) {
        if (!future.isDone()) {
            try {
                future.join();
            } catch (CompletionException | CancellationException e) {
                return future;
            }
        }
        return future;
    }
}
