package io.headgate.queues.streams;

import io.headgate.queues.QueueException;

/**
 * The stream has as many entries as it may, and a group still needs the oldest: none of those that were given is in it, and
 * nothing was changed.
 */
public final class StreamFullException extends QueueException {

    private static final long serialVersionUID = 1;

    private final long maxLength;
    private final String group;

    /**
     * Says which stream is full.
     *
     * @param key the key of the stream
     * @param maxLength how many entries it may have
     * @param given how many were to be produced
     * @param group which group needs what would have to go
     */
    public StreamFullException(String key, long maxLength, int given, String group) {
        super(
                "produce",
                key,
                "the stream is full: with " + given + " more it would have over " + maxLength
                        + " entries, and the group " + group + " still needs the oldest; none was produced",
                false,
                null);
        this.maxLength = maxLength;
        this.group = group;
    }

    /** How many entries the stream may have. */
    public long maxLength() {
        return maxLength;
    }

    /** A group that was not handed the entries which would have to go, or has not settled them. */
    public String group() {
        return group;
    }
}
