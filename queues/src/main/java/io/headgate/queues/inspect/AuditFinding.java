package io.headgate.queues.inspect;

/**
 * Something that an audit found to be wrong with a queue.
 *
 * @param kind what is wrong
 * @param about what it is about, for people
 * @param mended whether it was mended
 */
public record AuditFinding(Kind kind, String about, boolean mended) {

    /** What can be wrong. */
    public enum Kind {
        /** The header is not there, can't be read, or counts other than there is. */
        HEADER,
        /** A key of a job that leads to no job, or to one without that key. */
        KEY,
        /** An entry that says where a job is leads to no job, or a job has none and needs one. */
        PLACE,
        /** What is known of a claim is in part missing, or does not fit together. */
        CLAIM,
        /** A job is in two places. */
        TWICE,
        /** Something that can't be read. */
        UNREADABLE,
        /** Something that is not in the order in which it must be. */
        ORDER,
        /** Of a run of jobs the head is missing or the records are, or they don't fit together. */
        RUN
    }
}
