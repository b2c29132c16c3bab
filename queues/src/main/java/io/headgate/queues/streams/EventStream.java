package io.headgate.queues.streams;

import java.util.Collection;
import java.util.List;

/**
 * Keeps entries in the order in which they came, up to a bound, for any number of groups, each of which is handed all of
 * them.
 *
 * <p>Safe for use by any number of threads. A null argument is refused with a {@link NullPointerException}, a bad one with
 * an {@link IllegalArgumentException}; either way nothing is done. Every method that asks the store throws a {@link
 * io.headgate.queues.QueueException} when that can't be done.
 *
 * @param <T> what a payload is
 */
public interface EventStream<T> {

    /** The name of the stream, and its bounds. */
    StreamSettings settings();

    /** The same stream, asked without blocking. */
    AsyncEventStream<T> async();

    /**
     * Adds an entry.
     *
     * @throws StreamFullException when the stream has as many entries as it may, and the oldest is still needed
     */
    default EntryId produce(T payload) {
        return produceAll(List.of(NewEntry.of(payload))).get(0);
    }

    /**
     * Adds an entry.
     *
     * @throws StreamFullException when the stream has as many entries as it may, and the oldest is still needed
     */
    default EntryId produce(NewEntry<T> entry) {
        return produceAll(List.of(entry)).get(0);
    }

    /**
     * Adds several entries one after the other, all of them or none.
     *
     * @param entries 1 to 500 and no more than the stream may have, with at most 512 KiB of payloads and headers
     * @return their ids, in their order
     * @throws StreamFullException when the stream would have more entries than it may, and the oldest are still needed
     */
    List<EntryId> produceAll(Collection<NewEntry<T>> entries);

    /**
     * A group of consumers; those of the same name share its entries, in all processes. Asks nothing yet, but for whether the store
     * can give the {@link GroupSettings#durability}, where that is one.
     */
    ConsumerGroup<T> group(GroupSettings settings);

    /** A group with the default settings. */
    default ConsumerGroup<T> group(String name) {
        return group(GroupSettings.of(name));
    }

    /**
     * Creates a group before its first claim, and the stream if there is none. From then on the group keeps the entries that it
     * has not settled from being trimmed, and {@link #state()} lists it. Declare the groups of a bounded stream before you
     * produce to it: a group that is created by its first claim misses what was trimmed before.
     *
     * <p>Idempotent: a group that exists stays as it is, also when the settings begin elsewhere. {@link #removeGroup} ends it.
     *
     * @param settings its name, and where it begins: {@link GroupSettings.Now} is with what is produced after this call
     * @return whether the group was created; false when it existed
     */
    boolean declareGroup(GroupSettings settings);

    /** Creates a group that begins with the first entry that the stream has: {@link #declareGroup(GroupSettings)}. */
    default boolean declareGroup(String name) {
        return declareGroup(GroupSettings.of(name));
    }

    /**
     * Ends a group that nobody reads any more, so that it no longer keeps entries in the stream. What it had in hand, what was to
     * be tried again, its dead letters and the keys of what it has done go with it. A consumer that still claims makes it anew.
     *
     * @return whether there was one
     */
    boolean removeGroup(String name);

    /** What is in the stream, and how far its groups are. */
    StreamState state();
}
