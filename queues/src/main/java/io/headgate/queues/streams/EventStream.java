package io.headgate.queues.streams;

import java.util.Collection;
import java.util.List;

/**
 * A stream of entries in the order of their production, with a bounded length. Any number of consumer groups read it, and each
 * group receives every entry.
 *
 * <p>Safe for use by any number of threads. Null arguments throw a {@link NullPointerException}, invalid ones an {@link
 * IllegalArgumentException}; the call then does nothing. Every method that calls the store throws a {@link
 * io.headgate.queues.QueueException} if the store fails or does not reply in time.
 *
 * @param <T> the type of the payload
 */
public interface EventStream<T> {

    /** Returns the settings with which this stream was opened. */
    StreamSettings settings();

    /** Returns the same stream with calls that do not block. */
    AsyncEventStream<T> async();

    /**
     * Adds an entry without key and headers, and returns its id.
     *
     * @throws StreamFullException if the stream is full, and its oldest entry can't be trimmed because a group has not settled it
     */
    default EntryId produce(T payload) {
        return produceAll(List.of(NewEntry.of(payload))).get(0);
    }

    /**
     * Adds an entry, and returns its id.
     *
     * @throws StreamFullException if the stream is full, and its oldest entry can't be trimmed because a group has not settled it
     */
    default EntryId produce(NewEntry<T> entry) {
        return produceAll(List.of(entry)).get(0);
    }

    /**
     * Adds several entries in their order, all or none.
     *
     * @param entries 1 to 500 entries, at most {@linkplain StreamSettings#maxLength() maxLength}; at most 512 KiB of payloads,
     *     keys and headers
     * @return the ids of the entries, in their order
     * @throws StreamFullException if the stream has no room for the entries, and its oldest entries can't be trimmed because a group
     *     has not settled them
     */
    List<EntryId> produceAll(Collection<NewEntry<T>> entries);

    /**
     * Returns a consumer group. Objects of the same name are the same group, in all processes. Calls the store only if the settings have
     * a {@link GroupSettings#durability} other than {@link io.headgate.queues.Durability#none()}, to check that the store supports it.
     *
     * @throws io.headgate.queues.QueueException for the same reasons as {@link io.headgate.queues.QueueEngine#queue}
     */
    ConsumerGroup<T> group(GroupSettings settings);

    /** Returns a consumer group with the default settings. */
    default ConsumerGroup<T> group(String name) {
        return group(GroupSettings.of(name));
    }

    /**
     * Creates a consumer group, and the stream if it does not exist. From then on, {@link #state()} lists the group, and
     * entries that the group has not settled are not trimmed. Declare all groups before you produce: a group that is created
     * by its first claim misses entries that were trimmed before.
     *
     * <p>Declaring a group that exists changes nothing, even if the settings have another start. {@link #removeGroup} removes a
     * group.
     *
     * @param settings the name and the start of the group; {@link GroupSettings.Now} starts it with entries that are produced
     *     after this call
     * @return true if the group was created; false if it existed
     */
    boolean declareGroup(GroupSettings settings);

    /** Creates a consumer group that starts with the oldest entry of the stream: {@link #declareGroup(GroupSettings)}. */
    default boolean declareGroup(String name) {
        return declareGroup(GroupSettings.of(name));
    }

    /**
     * Removes a consumer group, which then no longer keeps entries in the stream. Its leases, retried entries, dead letters and
     * keys of done entries are deleted. A consumer that still claims creates the group again.
     *
     * @return true if the group existed
     */
    boolean removeGroup(String name);

    /** Returns the length of the stream and the progress of its groups. */
    StreamState state();
}
