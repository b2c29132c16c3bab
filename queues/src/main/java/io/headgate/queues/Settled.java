package io.headgate.queues;

/** What became of something that was asked under a lease. */
public enum Settled {
    /** It was done. */
    DONE,
    /** Nothing was done: the lease has expired, or the job was already settled. Somebody else may have it. */
    LEASE_LOST
}
