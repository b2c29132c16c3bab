package io.headgate.queues.streams;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * An {@link EventStream} with calls that do not block. Each method returns a stage with the result of its namesake. If the
 * namesake would throw, the stage fails with that exception; an invalid argument throws at once.
 *
 * @param <T> the type of the payload
 */
public interface AsyncEventStream<T> {

    /** Returns the settings with which this stream was opened. */
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
