package io.headgate.queues;

/**
 * What became of a job that was to be enqueued.
 *
 * @param outcome what was done
 * @param id the job's id; of the job that was there before, when it is the {@link Outcome#SAME} one
 */
public record Enqueued(Outcome outcome, JobId id) {

    /** What was done with a new job. */
    public enum Outcome {
        /** It is in the queue. */
        ADDED,
        /** It is in the queue, and the job of the same key that waited is not any more. */
        REPLACED,
        /** It is not in the queue, because another job of its key is. */
        SAME
    }
}
