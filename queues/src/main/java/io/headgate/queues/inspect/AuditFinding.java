package io.headgate.queues.inspect;

/**
 * An inconsistency that an audit found in a queue. A queue numbers its jobs in the order in which they are enqueued, and stores them in
 * runs of one or more jobs with consecutive numbers and the same due time. A run has a head, which states these, and the records of its
 * jobs.
 *
 * @param kind the kind of inconsistency
 * @param detail a description for an operator
 * @param repaired whether it was repaired
 */
public record AuditFinding(Kind kind, String detail, boolean repaired) {

    /** The kinds of inconsistencies. */
    public enum Kind {
        /** The header, which is the key with the counts of the queue, is missing, cannot be decoded, or has wrong counts. */
        HEADER,
        /** A stored job key refers to no job, or to a job without this key. */
        KEY,
        /** An entry of the index by which jobs are found by id refers to no job, or a job is missing in this index. */
        PLACE,
        /** A part of a claim is missing, or its parts do not match. */
        CLAIM,
        /** A job is stored in two places. */
        TWICE,
        /** Stored data cannot be decoded. */
        UNREADABLE,
        /** A job or a run of jobs is out of order. */
        ORDER,
        /** The head or the records of a run of jobs are missing, or do not match. */
        RUN,
        /** A tenant has waiting jobs, but is missing from the turns by which claims visit tenants. */
        TURN
    }
}
