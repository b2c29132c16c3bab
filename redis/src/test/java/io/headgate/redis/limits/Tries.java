package io.headgate.redis.limits;

import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueException;

/** Enqueues a job while that may fail. */
final class Tries {

    private Tries() {}

    /** Whether it was taken. */
    static boolean isTaken(JobQueue<String> queue, String payload) {
        try {
            queue.enqueue(payload);
            return true;
        } catch (QueueException e) {
            return false;
        }
    }
}
