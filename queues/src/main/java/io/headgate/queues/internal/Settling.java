package io.headgate.queues.internal;

/** What is to be said of one job in hand, as an engine takes it. */
public interface Settling {

    /** A job that waits again or is a dead letter is written anew, which is some times the work. */
    int WEIGHT_OF_A_MOVE = 5;

    /** What can be said. */
    enum Kind {
        /** It is done. */
        ACK,
        /** The attempt failed; it waits again. */
        RETRY,
        /** It waits again, and this was no attempt. */
        HAND_BACK,
        /** It is a dead letter. */
        DEAD_LETTER,
        /** Its lease ends later or earlier. */
        EXTEND
    }

    /** What is said. */
    Kind kind();

    /** How much work it is to carry this out, when it is 1 for a job that is done. */
    default int weight() {
        return switch (kind()) {
            case ACK, EXTEND -> 1;
            case RETRY, HAND_BACK, DEAD_LETTER -> WEIGHT_OF_A_MOVE;
        };
    }
}
