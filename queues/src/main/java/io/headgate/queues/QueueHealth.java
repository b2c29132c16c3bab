package io.headgate.queues;

/** Whether the store of an engine can be called. {@link QueueEngine#health()} returns it. */
public enum QueueHealth {

    /** The engine has an open connection to its store; in a Redis Cluster, to the master of every slot. */
    HEALTHY,

    /** The engine has no such connection, or is closed. Calls fail at once; the engine reconnects in the background until it is closed. */
    UNAVAILABLE
}
