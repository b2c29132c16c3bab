package io.headgate.redis.queues;

/**
 * A step of a random history; what its numbers mean is up to its kind.
 *
 * @param kind what is done
 * @param which which job or lease, counted from the last one
 * @param much how much, long or many
 * @param how in which way
 */
record QueueStep(Kind kind, int which, int much, int how) {

    /** The steps; those that should happen often stand here twice. */
    enum Kind {
        ENQUEUE,
        ENQUEUE_AGAIN,
        ENQUEUE_RUN,
        CLAIM,
        CLAIM_AGAIN,
        ACK,
        ACK_ALL,
        HAND_BACK,
        RETRY,
        DEAD_LETTER,
        EXTEND,
        CANCEL,
        RESCHEDULE,
        FIND,
        PAGES,
        PURGE,
        REDRIVE,
        REDRIVE_OLDEST,
        DISCARD,
        AUDIT,
        PAUSE,
        ADVANCE,
        ADVANCE_LITTLE
    }
}
