package io.headgate.queues.worker;

import io.headgate.queues.Job;

/** Decides what happens to a job whose attempt has failed. Called by several threads at the same time. */
@FunctionalInterface
public interface FailurePolicy {

    /** The action for a job whose attempt has failed. */
    enum Action {
        /** The job is retried according to the {@link RetryPolicy}. After the last attempt it becomes a dead letter. */
        RETRY,
        /** The job becomes a dead letter without another attempt. */
        DEAD_LETTER,
        /** The job is acknowledged as if it were done. */
        DISCARD,
        /**
         * The job is released, and the attempt does not count. Use this for failures that are not the job's fault, such as an
         * unavailable service. The job is due again after the wait of the {@link RetryPolicy}, which grows with the number of
         * deliveries up to the longest wait. If the policy has no waits, it is due after a second. A job can be parked any number of
         * times.
         */
        PARK
    }

    /** Returns the action for a job. If this method throws an exception, the action is {@link Action#RETRY}. */
    Action onFailure(Job<?> job, Throwable failure);
}
