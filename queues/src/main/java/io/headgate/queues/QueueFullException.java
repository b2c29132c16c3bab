package io.headgate.queues;

/**
 * The queue has as many jobs as it may: none of those that were to be enqueued or redriven is in it, and nothing was changed.
 */
public final class QueueFullException extends QueueException {

    private static final long serialVersionUID = 1;

    private final long maxJobs;

    /**
     * Says which queue is full.
     *
     * @param key the key of the queue
     * @param maxJobs how many jobs it may have
     * @param given how many were to be enqueued
     */
    public QueueFullException(String key, long maxJobs, int given) {
        super(
                "enqueue",
                key,
                "the queue is full: with " + given + " more it would have over " + maxJobs + " jobs; none was enqueued",
                false,
                null);
        this.maxJobs = maxJobs;
    }

    private QueueFullException(String operation, String key, String problem, long maxJobs) {
        super(operation, key, problem, false, null);
        this.maxJobs = maxJobs;
    }

    /**
     * Says which queue has no room for a dead letter.
     *
     * @param key the key of the queue
     * @param maxJobs how many jobs it may have
     */
    public static QueueFullException redriving(String key, long maxJobs) {
        return new QueueFullException(
                "redrive",
                key,
                "the queue is full: with a dead letter more it would have over " + maxJobs + " jobs; none was redriven",
                maxJobs);
    }

    /** How many jobs the queue may have. */
    public long maxJobs() {
        return maxJobs;
    }
}
