package io.headgate.redis.queues.internal.durability;

import io.headgate.queues.internal.QueueEvents;
import io.headgate.redis.internal.script.ScriptCall;
import java.util.concurrent.CompletableFuture;

/** A decorator of {@link Writes} that notifies listeners of failed and unconfirmed calls. */
public record ObservedWrites(Writes writes, QueueEvents events) implements Writes {

    @Override
    public <T> CompletableFuture<T> execute(ScriptCall<T> call) {
        return events.observe(writes.execute(call), reply -> {});
    }

    @Override
    public <T> CompletableFuture<WriteResult<T>> write(ScriptCall<T> call) {
        return events.observe(
                writes.write(call), written -> written.unconfirmed().ifPresent(events::failed));
    }
}
