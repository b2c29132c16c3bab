package io.headgate.queues.worker;

/**
 * What to do with one claimed job: acknowledge it, return it to the queue, move it to the dead letters, or change the end of its lease.
 * The methods of {@link ClaimedJob} create settlements; only the source of the job accepts them.
 */
public interface Settlement {

    /** The kinds of settlements. */
    enum Kind {
        /** The job is done. */
        ACK,
        /** The attempt failed; the job waits for the next one. */
        RETRY,
        /** The job waits again; the delivery does not count as an attempt. */
        HAND_BACK,
        /** The job becomes a dead letter. */
        DEAD_LETTER,
        /** The lease ends later or earlier. */
        EXTEND
    }

    /** Returns the kind of this settlement. */
    Kind kind();

    /**
     * Returns the cost of this settlement, relative to an acknowledgement: 1, or 5 for a job that the source stores again. A worker
     * sends settlements with a total weight of at most about 500 in one poll.
     */
    default int weight() {
        return switch (kind()) {
            case ACK, EXTEND -> 1;
            case RETRY, HAND_BACK, DEAD_LETTER -> 5;
        };
    }
}
