package io.headgate.queues.streams;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * An {@link EventStream} that is asked without blocking: each method answers what its namesake does, and fails with what
 * that one throws; a bad argument is refused at once.
 *
 * @param <T> what a payload is
 */
public interface AsyncEventStream<T> {

    /** The name of the stream, and its bounds. */
    StreamSettings settings();

    /** {@link EventStream#produce(Object)}. */
    default CompletionStage<EntryId> produce(T payload) {
        return produce(NewEntry.of(payload));
    }

    /** {@link EventStream#produce(NewEntry)}. */
    default CompletionStage<EntryId> produce(NewEntry<T> entry) {
        return produceAll(List.of(entry)).thenApply(ids -> ids.get(0));
    }

    /** {@link EventStream#produceAll(Collection)}. */
    CompletionStage<List<EntryId>> produceAll(Collection<NewEntry<T>> entries);

    /** {@link EventStream#group(GroupSettings)}. */
    AsyncConsumerGroup<T> group(GroupSettings settings);

    /** {@link EventStream#declareGroup(GroupSettings)}. */
    CompletionStage<Boolean> declareGroup(GroupSettings settings);

    /** {@link EventStream#declareGroup(String)}. */
    default CompletionStage<Boolean> declareGroup(String name) {
        return declareGroup(GroupSettings.of(name));
    }

    /** {@link EventStream#removeGroup(String)}. */
    CompletionStage<Boolean> removeGroup(String name);

    /** {@link EventStream#state()}. */
    CompletionStage<StreamState> state();
}
