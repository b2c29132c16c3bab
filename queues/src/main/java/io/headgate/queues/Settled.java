package io.headgate.queues;

/** The result of a call that settles a job or extends its lease. */
public enum Settled {
    /** The call took effect. */
    DONE,
    /** Nothing changed: the lease has expired, or the job was already settled. Another worker may have the job. */
    LEASE_LOST
}
