package io.headgate.redis.limits.internal.calls;

import io.headgate.redis.internal.script.ScriptCall;
import java.util.concurrent.CompletableFuture;

/** Sends the script calls of requests that have an id, and so may be sent more than once. */
public interface ResendingExecutor {

    /** Sends one of the calls of a request; again where the reply is lost, if the engine is configured to do so. */
    <T> CompletableFuture<T> execute(PendingRequest pending, ScriptCall<T> call);
}
