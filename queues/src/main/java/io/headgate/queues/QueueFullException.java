package io.headgate.queues;

/**
 * Thrown when the jobs of a call would exceed the {@code maxJobs} of the queue. The call enqueued or redrove no job.
 *
 * <p>In a queue of several shards, each shard has its part of {@code maxJobs}. The exception is thrown when the shard of a key or group is
 * full. A call with jobs without key and group tries one shard and, if that is full, another one. The exception is thrown when both are
 * full, even if further shards have room.
 */
public final class QueueFullException extends QueueException {

    private static final long serialVersionUID = 1;

    private final long maxJobs;

    /**
     * Creates the exception of an enqueue call.
     *
     * @param key the key of the queue or shard in Redis
     * @param maxJobs the bound of the queue or shard
     * @param given the number of jobs in the call
     */
    public QueueFullException(String key, long maxJobs, int given) {
        super(
                "enqueue",
                key,
                "the queue is full: it may have " + maxJobs + " jobs, and " + given
                        + " more would exceed that; none was enqueued",
                false,
                null);
        this.maxJobs = maxJobs;
    }

    private QueueFullException(String operation, String key, String problem, long maxJobs) {
        super(operation, key, problem, false, null);
        this.maxJobs = maxJobs;
    }

    /**
     * Creates the exception of a call that redrives dead letters.
     *
     * @param key the key of the queue or shard in Redis
     * @param maxJobs the bound of the queue or shard
     */
    public static QueueFullException redriving(String key, long maxJobs) {
        return new QueueFullException(
                "redrive",
                key,
                "the queue is full: it may have " + maxJobs + " jobs, and another would exceed that; none was redriven",
                maxJobs);
    }

    /** Returns the bound that would be exceeded: the most waiting and leased jobs of the queue, or of one of its shards. */
    public long maxJobs() {
        return maxJobs;
    }
}
