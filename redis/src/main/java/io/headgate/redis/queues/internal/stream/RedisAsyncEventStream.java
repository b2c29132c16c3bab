package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.Codec;
import io.headgate.queues.QueueListener;
import io.headgate.queues.QueueListener.EnqueuedJobs;
import io.headgate.queues.internal.JobBounds;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.queues.internal.Utf8;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The non-blocking stream on Redis: checks arguments, sends calls, and decodes replies. */
record RedisAsyncEventStream<T>(
        StreamSettings settings,
        Codec<T> codec,
        StreamKeys keys,
        StreamScripts scripts,
        PairExecutor executor,
        RetryQueues queues,
        Consumer consumer,
        Runnable registration,
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
        registration.run();
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
            registration.run();
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

    /**
     * The result of adding entries to a stream.
     *
     * @param ids the ids of the entries; empty when the stream is full
     * @param neededBy when the stream is full, a group that still needs an entry that would have to be removed
     */
    private record ProduceReply(List<EntryId> ids, Optional<String> neededBy) {

        /** The counts for listeners, if the caller has given that number of entries. */
        EnqueuedJobs counts(int given) {
            return new EnqueuedJobs(ids.size(), 0, 0, given - ids.size());
        }

        static ProduceReply of(byte[] reply) {
            if (reply[0] == 0) {
                return new ProduceReply(List.of(), Optional.of(Utf8.text(reply, 1, reply.length - 1)));
            }
            List<EntryId> ids = new ArrayList<>();
            for (int at = 1; at < reply.length; at += 1 + reply[at]) {
                ids.add(EntryId.parse(Utf8.text(reply, at + 1, reply[at])));
            }
            return new ProduceReply(List.copyOf(ids), Optional.empty());
        }
    }

    /** Reads the reply of state.lua: a sequence of strings. */
    private static final class StateReply {

        private final byte[] reply;
        private int at;

        private StateReply(byte[] reply) {
            this.reply = reply;
        }

        static StreamState of(byte[] reply) {
            return new StateReply(reply).state();
        }

        private StreamState state() {
            return new StreamState(number(), id(), id(), several(this::group));
        }

        private StreamState.Group group() {
            return new StreamState.Group(
                    text(),
                    EntryId.parse(text()),
                    Optional.of(text()).filter(lag -> !lag.isEmpty()).map(Long::valueOf),
                    number(),
                    id(),
                    consumers());
        }

        /** Reads the consumers; the entries of a batch count for the consumer that has read the batch. */
        private List<StreamState.Consumer> consumers() {
            Map<String, StreamState.Consumer> consumers = new LinkedHashMap<>();
            several(() -> new StreamState.Consumer(Consumer.of(text()), number(), Duration.ofMillis(number())))
                    .forEach(one -> consumers.merge(one.name(), one, StateReply::merged));
            return List.copyOf(consumers.values());
        }

        private static StreamState.Consumer merged(StreamState.Consumer one, StreamState.Consumer other) {
            Duration idle = one.idle().compareTo(other.idle()) < 0 ? one.idle() : other.idle();
            return new StreamState.Consumer(one.name(), one.pending() + other.pending(), idle);
        }

        private <E> List<E> several(Supplier<E> one) {
            return Stream.generate(one).limit(number()).toList();
        }

        private Optional<EntryId> id() {
            return Optional.of(text()).filter(id -> !id.isEmpty()).map(EntryId::parse);
        }

        private long number() {
            return Long.parseLong(text());
        }

        private String text() {
            int length = (int) Packed.number(reply, at, 2);
            String text = Utf8.text(reply, at + 2, length);
            at += 2 + length;
            return text;
        }
    }
}
