package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.Codec;
import io.headgate.queues.QueueListener;
import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.queues.streams.AsyncEventStream;
import io.headgate.queues.streams.EntryId;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.queues.streams.StreamFullException;
import io.headgate.queues.streams.StreamSettings;
import io.headgate.queues.streams.StreamState;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.PairExecutor;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.queues.internal.durability.WriteResult;
import io.headgate.redis.queues.internal.durability.Writes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The non-blocking stream on Redis: checks arguments, makes the call, and reads the reply. */
record RedisAsyncEventStream<T>(
        StreamSettings settings,
        Codec<T> codec,
        StreamKeys keys,
        StreamScripts scripts,
        PairExecutor executor,
        RetryQueues queues,
        Consumer consumer,
        Runnable onProduced,
        Writes writes,
        QueueEvents events)
        implements AsyncEventStream<T> {

    @Override
    public CompletableFuture<List<EntryId>> produceAll(Collection<NewEntry<T>> entries) {
        int count = entries.size();
        JobBounds.inRange("number of entries", count, 1, Math.min(JobBounds.MAX_BATCH, settings.maxLength()));
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(
                new Packed().number(settings.maxLength(), 6).number(count, 2).bytes());
        entries.forEach(entry -> arguments.addAll(EntryFields.of(entry, encoded(entry))));
        long bytes = arguments.stream().mapToLong(argument -> argument.length).sum();
        JobBounds.inRange("bytes of all entries", bytes, 0, JobBounds.MAX_BATCH_BYTES);
        ScriptCall<ProduceReply> produce =
                new ScriptCall<>(scripts.produce, keys.produce(), arguments.toArray(byte[][]::new), ProduceReply::of);
        return writes.write(produce).thenApply(written -> {
            events.enqueued(written.reply().counts(count));
            return ids(written, count);
        });
    }

    private byte[] encoded(NewEntry<T> entry) {
        byte[] payload = codec.encode(entry.payload());
        JobBounds.inRange("bytes of the payload", payload.length, 0, settings.maxPayloadBytes());
        return payload;
    }

    private List<EntryId> ids(WriteResult<ProduceReply> written, int given) {
        ProduceReply reply = written.reply();
        if (reply.neededBy().isPresent()) {
            throw new StreamFullException(
                    keys.stream(), settings.maxLength(), given, reply.neededBy().get());
        }
        onProduced.run();
        return written.requireConfirmed().ids();
    }

    @Override
    public RedisAsyncConsumerGroup<T> group(GroupSettings group) {
        QueueEvents ofGroup = queues.events(new QueueListener.Source.OfGroup(settings.name(), group.name()));
        return new RedisAsyncConsumerGroup<>(planner(group), codec, executor, queues, ofGroup);
    }

    private GroupPlanner planner(GroupSettings group) {
        return new GroupPlanner(group, keys, scripts, consumer, queues, settings.maxPayloadBytes());
    }

    @Override
    public CompletableFuture<Boolean> declareGroup(GroupSettings group) {
        return writes.execute(planner(group).declare()).thenApply(created -> {
            onProduced.run();
            return created;
        });
    }

    @Override
    public CompletableFuture<Boolean> removeGroup(String name) {
        return writes.execute(planner(GroupSettings.of(name)).remove());
    }

    @Override
    public CompletableFuture<StreamState> state() {
        return events.observe(
                executor.execute(
                        new ScriptCall<>(scripts.state, new String[] {keys.stream()}, new byte[0][], StateReply::of)),
                state -> {});
    }
}
