package io.headgate.redis;

import java.util.concurrent.CompletableFuture;

/** Sends script calls. All that Headgate asks of Redis goes through here. */
interface ScriptExecutor {

    /**
     * Sends the call once. The future fails with a {@link io.headgate.limits.LimiterException} when there is no
     * answer; cancelling it gives up the wait, and a call that is not yet sent is then never sent.
     */
    <T> CompletableFuture<T> execute(ScriptCall<T> call);
}
