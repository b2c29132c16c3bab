package io.headgate.queues;

/** The priority of a job. Within a shard, a due job of a higher priority is always delivered before one of a lower priority. */
public enum Priority {
    HIGH,
    NORMAL,
    LOW
}
