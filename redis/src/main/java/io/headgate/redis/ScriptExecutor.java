package io.headgate.redis;

import java.util.concurrent.CompletableFuture;

/** Sends script calls. */
interface ScriptExecutor {

    /**
     * Sends the call once. The future fails with a {@link io.headgate.limits.LimiterException} when there is no answer
     * in time; cancelling it gives up the wait, and takes nothing back.
     */
    <T> CompletableFuture<T> execute(ScriptCall<T> call);
}
