package io.headgate.redis.limits;

import io.headgate.redis.internal.ScriptCall;
import java.util.concurrent.CompletableFuture;

/** Sends calls of requests that have an id. */
interface CallsWithId {

    /** Sends a call of such a request, of which there may be several; again where its reply is lost, if told so. */
    <T> CompletableFuture<T> execute(Ask ask, ScriptCall<T> call);
}
