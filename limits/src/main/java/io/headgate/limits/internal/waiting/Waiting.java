package io.headgate.limits.internal.waiting;

import io.headgate.limits.LimiterException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** Waits for the completion of a stage on the caller's thread. */
public final class Waiting {

    private Waiting() {}

    /**
     * Returns the result. An interrupt cancels the stage; if the result has just arrived, it is returned, and the thread stays
     * interrupted.
     */
    public static <T> T on(CompletionStage<T> stage) throws InterruptedException {
        CompletableFuture<T> result = stage.toCompletableFuture();
        try {
            return get(result);
        } catch (InterruptedException e) {
            if (result.cancel(true)) {
                throw e;
            }
            // If the result were dropped, its permits would stay charged.
            Thread.currentThread().interrupt();
            return get(result);
        }
    }

    private static <T> T get(CompletableFuture<T> result) throws InterruptedException {
        try {
            return result.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LimiterException || e.getCause() instanceof IllegalStateException) {
                RuntimeException failure = (RuntimeException) e.getCause();
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
