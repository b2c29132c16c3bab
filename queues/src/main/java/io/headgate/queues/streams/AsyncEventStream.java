package io.headgate.queues.streams;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous form of an {@link EventStream}. Each method that calls the store returns a stage with the result of the blocking
 * method of the same name, and does not block; only {@link #group} may block for its check of the durability. If the blocking method
 * would throw an exception, the stage fails with it; for an invalid argument, or a payload that the codec cannot encode, the method throws
 * it immediately.
 *
 * @param <T> the type of the payload
 */
public interface AsyncEventStream<T> {

    /** Returns the settings with which this stream was opened. */
    StreamSettings settings();

    /** The asynchronous form of {@link EventStream#produce(Object)}. */
    default CompletionStage<EntryId> produce(T payload) {
        return produce(NewEntry.of(payload));
    }

    /** The asynchronous form of {@link EventStream#produce(NewEntry)}. */
    default CompletionStage<EntryId> produce(NewEntry<T> entry) {
        return produceAll(List.of(entry)).thenApply(ids -> ids.get(0));
    }

    /** The asynchronous form of {@link EventStream#produceAll(Collection)}. */
    CompletionStage<List<EntryId>> produceAll(Collection<NewEntry<T>> entries);

    /** The asynchronous form of {@link EventStream#group(GroupSettings)}. */
    AsyncConsumerGroup<T> group(GroupSettings settings);

    /** The asynchronous form of {@link EventStream#declareGroup(GroupSettings)}. */
    CompletionStage<Boolean> declareGroup(GroupSettings settings);

    /** The asynchronous form of {@link EventStream#declareGroup(String)}. */
    default CompletionStage<Boolean> declareGroup(String name) {
        return declareGroup(GroupSettings.of(name));
    }

    /** The asynchronous form of {@link EventStream#removeGroup(String)}. */
    CompletionStage<Boolean> removeGroup(String name);

    /** The asynchronous form of {@link EventStream#state()}. */
    CompletionStage<StreamState> state();
}
