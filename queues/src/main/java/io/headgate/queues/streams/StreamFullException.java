package io.headgate.queues.streams;

import io.headgate.queues.QueueException;

/**
 * Thrown when the entries of a call would exceed the {@code maxLength} of the stream, and a group has not settled the oldest entries,
 * which would have to be trimmed. The call added no entry.
 */
public final class StreamFullException extends QueueException {

    private static final long serialVersionUID = 1;

    private final long maxLength;
    private final String group;

    /**
     * Creates an exception.
     *
     * @param key the key of the stream in Redis
     * @param maxLength the bound of the stream
     * @param given the number of entries in the call
     * @param group the name of a group that has not settled the entries to trim
     */
    public StreamFullException(String key, long maxLength, int given, String group) {
        super(
                "produce",
                key,
                "the stream is full: it may have " + maxLength + " entries, " + given
                        + " more would exceed that, and the group " + group
                        + " still needs the oldest; none was produced",
                false,
                null);
        this.maxLength = maxLength;
        this.group = group;
    }

    /** Returns the most entries of the stream. */
    public long maxLength() {
        return maxLength;
    }

    /** Returns the name of a group that has not settled the entries that would have to be trimmed. */
    public String group() {
        return group;
    }
}
