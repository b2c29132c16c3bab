package io.headgate.redis.internal.script;

import io.headgate.redis.internal.connection.Failures;
import java.util.concurrent.CompletableFuture;

/** Sends script calls. */
public interface ScriptExecutor {

    /**
     * Sends the call, which Redis executes at most once. The future fails with an exception of {@link Failures} when the call
     * fails, times out or can't be sent. Cancelling the future ends the wait and does not undo the call.
     */
    <T> CompletableFuture<T> execute(ScriptCall<T> call);

    /**
     * Sends the call regardless of the bound on calls in flight. Use it only for a necessary follow-up of a completed call, such as a
     * refund, and at most once for each call.
     */
    default <T> CompletableFuture<T> executeInAnyCase(ScriptCall<T> call) {
        return execute(call);
    }
}
