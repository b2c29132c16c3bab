package io.headgate.queues.worker;

/**
 * What a source does with one claimed job: acknowledge it, return it to the queue, dead-letter it, or change the end of its lease. The
 * methods of {@link ClaimedJob} make settlements; only the source of the job accepts them.
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

    /** The kind. */
    Kind kind();

    /** The cost of this settlement, in acknowledgements: 1, or 5 for a job that the source stores again. A poll carries up to 500. */
    default int weight() {
        return switch (kind()) {
            case ACK, EXTEND -> 1;
            case RETRY, HAND_BACK, DEAD_LETTER -> 5;
        };
    }
}
