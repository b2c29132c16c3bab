package io.headgate.queues.worker;

import io.headgate.queues.Durability;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.QueueException;
import java.time.Duration;

/**
 * Receives the events of a worker. The worker calls it on its own threads, on several at a time, so it must be safe for use by several
 * threads, and must not block. Its exceptions are logged and ignored.
 */
public interface WorkerListener {

    /**
     * Whether this listener handles the failures that it is given, by logging them or otherwise. If any listener of a worker
     * returns true, the worker logs no failures of its handler itself. False unless overridden: a listener that only counts
     * does not keep stack traces out of the log.
     */
    default boolean handlesFailures() {
        return false;
    }

    /** A handler is about to be called. */
    default void onStarted(Job<?> job) {}

    /** The job is done, and the queue knows, as safely as its {@link Durability} wants. */
    default void onAcked(Job<?> job) {}

    /** The attempt failed; the next one is due after the delay. */
    default void onRetried(Job<?> job, Throwable failure, Duration delay) {}

    /** The job is a dead letter. */
    default void onDeadLettered(Job<?> job, Throwable failure) {}

    /** The attempt failed, and the job was taken for done all the same. */
    default void onDiscarded(Job<?> job, Throwable failure) {}

    /** The attempt failed and does not count; the job is due again after the delay. */
    default void onParked(Job<?> job, Throwable failure, Duration delay) {}

    /** The job was handed back, since the worker ends. */
    default void onHandedBack(JobId id) {}

    /** The lease had expired before the job was settled; somebody else may have it. */
    default void onLeaseLost(JobId id) {}

    /**
     * The queue knows what came of the job, but not as safely as its {@link Durability} wants: where that is lost after all, the job is
     * handed out once more. Heard instead of {@link #onAcked}, and before {@link #onRetried}, {@link #onDeadLettered}, {@link
     * #onDiscarded} or {@link #onParked} of the same job. By default, it is {@link #onQueueError}.
     *
     * @param doubt how many confirmed it, or why that is not known; the same one for all jobs that were settled together
     */
    default void onUnconfirmed(Job<?> job, QueueException doubt) {
        onQueueError(doubt);
    }

    /**
     * A call to the queue, or to some of its shards, failed. The worker retries with a backoff of 20 ms to 1 second, and meanwhile
     * continues with the other shards. Also called when renewed leases or returned jobs are less durable than the queue's {@link
     * Durability} requests; the worker does nothing about that.
     */
    default void onQueueError(QueueException problem) {}
}
