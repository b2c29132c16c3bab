package io.headgate.redis.queues;

/**
 * A step of a random history. The meaning of its numbers, which are from 0 to 11, depends on its kind.
 *
 * @param kind the operation
 * @param fromLast selects a job or lease, counted back from the last one; for a new job, its priority and group
 * @param amount a number of jobs, or a duration; for a new job, its key and delay
 * @param variant selects a variant of the operation
 */
record QueueStep(Kind kind, int fromLast, int amount, int variant) {

    /** The operations. ENQUEUE_AGAIN is ENQUEUE and CLAIM_AGAIN is CLAIM, so that these happen twice as often. */
    enum Kind {
        ENQUEUE,
        ENQUEUE_AGAIN,
        ENQUEUE_BATCH,
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
