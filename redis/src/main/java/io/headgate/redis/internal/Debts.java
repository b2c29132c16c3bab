package io.headgate.redis.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** What an engine has admitted without Redis, and Redis is to be told when it is back. */
public interface Debts {

    /** Whether there is nothing to tell. */
    boolean isEmpty();

    /** Tells all, or as much as can be in a second; fails when Redis is gone again. */
    CompletableFuture<Void> payAll();

    /**
     * Tells some of what is owed again and again, until nothing is left or a second has passed.
     *
     * @param paying tells some of it; completes with how much
     */
    static CompletableFuture<Void> payForASecond(Supplier<CompletableFuture<Integer>> paying) {
        return payUntil(System.nanoTime() + TimeUnit.SECONDS.toNanos(1), paying);
    }

    private static CompletableFuture<Void> payUntil(long untilNanos, Supplier<CompletableFuture<Integer>> paying) {
        return paying.get()
                .thenCompose(paid -> paid > 0 && System.nanoTime() - untilNanos < 0
                        ? payUntil(untilNanos, paying)
                        : CompletableFuture.completedFuture(null));
    }

    /** Tells some of what was admitted a while ago; completes with how much, of what it counts in. */
    CompletableFuture<Integer> payLate();
}
