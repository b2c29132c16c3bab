package io.headgate.queues;

/** Thrown when the jobs of a call would exceed the {@code maxJobs} of the queue. The call enqueued or redrove no job. */
public final class QueueFullException extends QueueException {

    private static final long serialVersionUID = 1;

    private final long maxJobs;

    /**
     * Creates the exception of an enqueue call.
     *
     * @param key the key of the queue in Redis
     * @param maxJobs the bound of the queue
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
     * @param key the key of the queue in Redis
     * @param maxJobs the bound of the queue
     */
    public static QueueFullException redriving(String key, long maxJobs) {
        return new QueueFullException(
                "redrive",
                key,
                "the queue is full: it may have " + maxJobs + " jobs, and another would exceed that; none was redriven",
                maxJobs);
    }

    /** Returns the bound of the queue: the most waiting and leased jobs. */
    public long maxJobs() {
        return maxJobs;
    }
}
