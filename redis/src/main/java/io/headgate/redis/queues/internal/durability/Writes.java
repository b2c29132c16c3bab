package io.headgate.redis.queues.internal.durability;

import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.ScriptExecutor;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Sends script calls that write, and reports whether what they wrote is as durable as requested. */
public interface Writes extends ScriptExecutor {

    /** Sends the call once, as {@link #execute} does; an unconfirmed write is a result, not a failure. */
    <T> CompletableFuture<WriteResult<T>> write(ScriptCall<T> call);

    /**
     * Sends the call once; an unconfirmed write fails, as with {@link #execute(ScriptCall)}.
     *
     * @param onReply receives the reply before the future completes, also that of an unconfirmed write
     */
    default <T> CompletableFuture<T> execute(ScriptCall<T> call, Consumer<T> onReply) {
        return WriteResult.confirmedOrFailed(write(call), onReply);
    }

    /** Returns writes that request no confirmation: they are as durable as the server's own configuration makes them. */
    static Writes unconfirmed(ScriptExecutor executor) {
        return new Writes() {
            @Override
            public <T> CompletableFuture<T> execute(ScriptCall<T> call) {
                return executor.execute(call);
            }

            @Override
            public <T> CompletableFuture<WriteResult<T>> write(ScriptCall<T> call) {
                CompletableFuture<WriteResult<T>> result = new CompletableFuture<>();
                executor.execute(call).whenComplete((reply, problem) -> {
                    if (problem != null) {
                        result.completeExceptionally(problem);
                    } else {
                        result.complete(new WriteResult<>(reply, Optional.empty()));
                    }
                });
                return result;
            }
        };
    }
}
