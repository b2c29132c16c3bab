package io.headgate.limits.internal.waiting;

import io.headgate.limits.LimiterException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** Waits for a stage on the caller's thread. */
public final class Waiting {

    private Waiting() {}

    /** The result; an interrupt cancels the stage, unless the result was faster. */
    public static <T> T on(CompletionStage<T> stage) throws InterruptedException {
        CompletableFuture<T> result = stage.toCompletableFuture();
        try {
            return get(result);
        } catch (InterruptedException e) {
            if (result.cancel(true)) {
                throw e;
            }
            // If it were dropped, it would stay charged unnoticed.
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
