package io.headgate.redis.internal.script;

import io.headgate.redis.internal.connection.Failures;
import java.util.concurrent.CompletableFuture;

/** Sends script calls. */
public interface ScriptExecutor {

    /**
     * Sends the call once. The future fails with a what the {@link Failures} make of it when there is no answer in time; cancelling it gives up the wait, and takes nothing back.
     */
    <T> CompletableFuture<T> execute(ScriptCall<T> call);

    /**
     * The same, however many calls are under way: for what follows from a call that was answered, of which there is one each at
     * most, and which must not be left undone because there is much to do.
     */
    default <T> CompletableFuture<T> executeInAnyCase(ScriptCall<T> call) {
        return execute(call);
    }
}
