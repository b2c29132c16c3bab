package io.headgate.queues.worker;

/** What an engine does with one claimed job: acknowledge it, return it to the queue, dead-letter it, or extend its lease. */
public interface Settlement {

    /** The weight of a job that the engine writes again, as a waiting job or as a dead letter; an acknowledgement weighs 1. */
    int WEIGHT_OF_A_MOVE = 5;

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

    /** The cost of this settlement, in acknowledgements. */
    default int weight() {
        return switch (kind()) {
            case ACK, EXTEND -> 1;
            case RETRY, HAND_BACK, DEAD_LETTER -> WEIGHT_OF_A_MOVE;
        };
    }
}
