package io.headgate.queues;

/** Whether an engine can call its store; see {@link QueueEngine#health()}. */
public enum QueueHealth {

    /** The engine has an open connection to its store; in a Redis Cluster, to the master of every slot. */
    HEALTHY,

    /**
     * The engine lacks such a connection, or is closed. Calls fail immediately; in a Redis Cluster, at least the calls for the missing
     * masters do. The engine reconnects in the background until it is closed.
     */
    UNAVAILABLE
}
