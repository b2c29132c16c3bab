package io.headgate.redis.writes;

import io.headgate.queues.internal.Told;
import io.headgate.redis.internal.ScriptCall;
import java.util.concurrent.CompletableFuture;

/** Sends calls as others do, and has listeners hear of those that fail or leave a doubt. */
public record HeardWrites(Writes writes, Told told) implements Writes {

    /** The same, where nobody listens. */
    public static Writes of(Writes writes, Told told) {
        return told.isSilent() ? writes : new HeardWrites(writes, told);
    }

    @Override
    public <T> CompletableFuture<T> execute(ScriptCall<T> call) {
        return told.first(writes.execute(call), answer -> {});
    }

    @Override
    public <T> CompletableFuture<Written<T>> write(ScriptCall<T> call) {
        return told.first(writes.write(call), written -> written.doubt().ifPresent(told::failed));
    }
}
