package io.headgate.queues.worker;

import io.headgate.queues.Durability;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.QueueException;
import java.time.Duration;

/**
 * Receives the events of a worker. The worker calls a listener on several threads at the same time, also on threads of the Redis client.
 * So a listener must be safe for use by several threads, and must not block. Exceptions of a listener are logged and ignored.
 */
public interface WorkerListener {

    /**
     * Returns whether this listener logs or otherwise handles the failures that it receives. If any listener of a worker
     * returns true, the worker does not log failures of its handler. False by default.
     */
    default boolean handlesFailures() {
        return false;
    }

    /** A handler is about to be called. */
    default void onStarted(Job<?> job) {}

    /**
     * A handler has ended: it returned, failed, or its stage was completed. Called once after each {@link #onStarted}, unless the stage is
     * never completed. A worker that closes may have handed back the job before.
     *
     * @param failed whether the handler threw an exception, or its stage failed, also if the worker has interrupted it
     * @param elapsed the time from its call to its end
     */
    default void onHandled(Job<?> job, boolean failed, Duration elapsed) {}

    /** The job is done, and confirmed as the queue's {@link Durability} requires. */
    default void onAcked(Job<?> job) {}

    /** The attempt failed; the next one is due after the delay. */
    default void onRetried(Job<?> job, Throwable failure, Duration delay) {}

    /** The job is a dead letter. */
    default void onDeadLettered(Job<?> job, Throwable failure) {}

    /** The attempt failed, and the failure policy discarded the job, which was acknowledged. */
    default void onDiscarded(Job<?> job, Throwable failure) {}

    /** The attempt failed, and the failure policy parked the job: the attempt does not count, and the job is due again after the delay. */
    default void onParked(Job<?> job, Throwable failure, Duration delay) {}

    /**
     * The job was released, and the delivery does not count as an attempt: the worker is closing, or more than one lease of the job has
     * expired and the worker already has another such job. It handles only one of them at a time.
     */
    default void onHandedBack(JobId id) {}

    /** The lease expired before the job was settled. Another worker may have the job. */
    default void onLeaseLost(JobId id) {}

    /**
     * The job was settled, but the settlement was not confirmed as the queue's {@link Durability} requires. If it is lost, the
     * job is delivered once more. Called instead of {@link #onAcked}, and before {@link #onRetried}, {@link #onDeadLettered},
     * {@link #onDiscarded} or {@link #onParked} of the same job. By default, this calls {@link #onQueueError}.
     *
     * @param failure states how many servers confirmed the settlement, or why that is unknown. It is the same exception for all jobs that
     *     one call settled
     */
    default void onUnconfirmed(Job<?> job, QueueException failure) {
        onQueueError(failure);
    }

    /**
     * A call to the queue, or to some of its shards, failed. The worker retries with a backoff of 20 ms to 1 second, and meanwhile
     * continues with the other shards. Also called when Redis did not confirm, as the queue's {@link Durability} requires, the renewal of
     * a lease, a hand-back that {@link #onHandedBack} reports, or the dead-lettering of a job that cannot be decoded. The worker does not
     * retry these.
     */
    default void onQueueError(QueueException problem) {}
}
