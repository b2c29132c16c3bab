package io.headgate.queues;

/**
 * The result of one enqueued job.
 *
 * @param outcome what the queue did with the job
 * @param id the id of the job that is in the queue now: the existing job for {@link Outcome#SAME}, else the new one
 */
public record Enqueued(Outcome outcome, JobId id) {

    /** What the queue did with the job. */
    public enum Outcome {
        /** The job was added. */
        ADDED,
        /** The job was added in place of the waiting job of the same key, which was removed. */
        REPLACED,
        /** The job was not added, because the queue already has a job of the same key. */
        SAME
    }
}
