package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.streams.AsyncEventStream;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EntryId;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.NewEntry;
import io.headgate.queues.streams.StreamSettings;
import io.headgate.queues.streams.StreamState;
import io.headgate.redis.internal.connection.BlockingCalls;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** The blocking stream on Redis: waits for the non-blocking one. */
record RedisEventStream<T>(RedisAsyncEventStream<T> own, RetryQueues queues, BlockingCalls blocking)
        implements EventStream<T> {

    @Override
    public StreamSettings settings() {
        return own.settings();
    }

    @Override
    public AsyncEventStream<T> async() {
        return own;
    }

    @Override
    public List<EntryId> produceAll(Collection<NewEntry<T>> entries) {
        return blocking.await("produce", () -> own.produceAll(entries));
    }

    @Override
    public ConsumerGroup<T> group(GroupSettings settings) {
        // A claim needs up to three calls, two to the stream and one to the retry queue, unless it skips duplicates. An
        // acknowledgement needs up to three too.
        Duration timeout = queues.callTimeout(settings.durability()).multipliedBy(3);
        BlockingCalls ofGroup = new BlockingCalls(timeout, blocking.failures(), blocking.subject());
        return new RedisConsumerGroup<>(own.group(settings), queues, ofGroup);
    }

    @Override
    public boolean declareGroup(GroupSettings settings) {
        return blocking.await("declare_group", () -> own.declareGroup(settings));
    }

    @Override
    public boolean removeGroup(String name) {
        return blocking.await("remove_group", () -> own.removeGroup(name));
    }

    @Override
    public StreamState state() {
        return blocking.await("state", own::state);
    }
}
