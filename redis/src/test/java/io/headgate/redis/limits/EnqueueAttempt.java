package io.headgate.redis.limits;

import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueException;

/** An attempt to enqueue a job, which may fail during an outage. */
final class EnqueueAttempt {

    private EnqueueAttempt() {}

    /** Enqueues the job; returns whether this succeeded. */
    static boolean succeeds(JobQueue<String> queue, String payload) {
        try {
            queue.enqueue(payload);
            return true;
        } catch (QueueException e) {
            return false;
        }
    }
}
