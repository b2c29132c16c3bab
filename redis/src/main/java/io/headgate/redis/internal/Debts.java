package io.headgate.redis.internal;

import java.util.concurrent.CompletableFuture;

/** What an engine has admitted without Redis, and Redis is to be told when it is back. */
public interface Debts {

    /** Whether there is nothing to tell. */
    boolean isEmpty();

    /** Tells all, or as much as can be in a second; fails when Redis is gone again. */
    CompletableFuture<Void> payAll();

    /** Tells some of what was admitted a while ago; completes with how much, of what it counts in. */
    CompletableFuture<Integer> payLate();
}
