package io.headgate.redis.internal.connection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** After an outage, sends to Redis the usage that an engine admitted without it. */
public interface Reconciler {

    /** Whether there is no unsynced usage. */
    boolean isSynced();

    /** Sends all unsynced usage, or as much as a second allows; fails if Redis is unavailable again. */
    CompletableFuture<Void> syncAll();

    /**
     * Sends some of the unsynced usage, except usage so recent that it could be charged twice; completes with how much, in units of
     * the implementation.
     */
    CompletableFuture<Integer> syncOverdue();

    /**
     * Sends batch after batch until no unsynced usage remains or a second has passed.
     *
     * @param nextBatch sends a batch; completes with its size, or 0 if no usage remains
     */
    static CompletableFuture<Void> syncForASecond(Supplier<CompletableFuture<Integer>> nextBatch) {
        return syncUntil(System.nanoTime() + TimeUnit.SECONDS.toNanos(1), nextBatch);
    }

    private static CompletableFuture<Void> syncUntil(long untilNanos, Supplier<CompletableFuture<Integer>> nextBatch) {
        return nextBatch
                .get()
                .thenCompose(sent -> sent > 0 && System.nanoTime() - untilNanos < 0
                        ? syncUntil(untilNanos, nextBatch)
                        : CompletableFuture.completedFuture(null));
    }
}
