package io.headgate.redis.writes;

import io.headgate.redis.internal.ScriptCall;
import io.headgate.redis.internal.ScriptExecutor;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Sends calls that write, and says whether what they wrote is as safe as it should be. */
public interface Writes extends ScriptExecutor {

    /** Sends the call once, as {@link #execute} does; where there is only a doubt, that is part of the answer. */
    <T> CompletableFuture<Written<T>> write(ScriptCall<T> call);

    /** The same as {@link #execute}, but somebody hears the answer first, and also where there is a doubt. */
    default <T> CompletableFuture<T> execute(ScriptCall<T> call, Consumer<T> heard) {
        return Written.sure(write(call), heard);
    }

    /** Writes that are as safe as the server makes them by itself. */
    static Writes unconfirmed(ScriptExecutor executor) {
        return new Writes() {
            @Override
            public <T> CompletableFuture<T> execute(ScriptCall<T> call) {
                return executor.execute(call);
            }

            @Override
            public <T> CompletableFuture<Written<T>> write(ScriptCall<T> call) {
                CompletableFuture<Written<T>> told = new CompletableFuture<>();
                executor.execute(call).whenComplete((answer, problem) -> {
                    if (problem != null) {
                        told.completeExceptionally(problem);
                    } else {
                        told.complete(new Written<>(answer, Optional.empty()));
                    }
                });
                return told;
            }
        };
    }
}
