package io.headgate.limits.internal;

import io.headgate.limits.LimiterException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** Waits for a stage on the caller's thread. */
public final class Waiting {

    private Waiting() {}

    /** The result; an interrupt cancels the stage, unless it comes too late for that. */
    public static <T> T on(CompletionStage<T> stage) throws InterruptedException {
        CompletableFuture<T> result = stage.toCompletableFuture();
        try {
            return result.get();
        } catch (InterruptedException e) {
            if (result.cancel(true) || result.isCompletedExceptionally()) {
                throw e;
            }
            // It has its permits.
            Thread.currentThread().interrupt();
            return result.join();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LimiterException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
