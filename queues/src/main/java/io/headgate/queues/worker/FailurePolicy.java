package io.headgate.queues.worker;

import io.headgate.queues.Job;

/** Decides what happens to a job whose attempt has failed. Called by several threads at the same time. */
@FunctionalInterface
public interface FailurePolicy {

    /** What happens to a failed job. */
    enum Action {
        /** The job is retried as the {@link RetryPolicy} says. After the last attempt it becomes a dead letter. */
        RETRY,
        /** The job becomes a dead letter without another attempt. */
        DEAD_LETTER,
        /** The job is acknowledged as if it were done. */
        DISCARD,
        /**
         * The job is released, and the attempt does not count. Use this for failures that are not the job's fault, such as an
         * unavailable service. The job is due after the wait that the {@link RetryPolicy} has for this number of deliveries, up
         * to the longest wait; after a second if the policy has no waits. A job can be parked any number of times.
         */
        PARK
    }

    /** Returns what happens to the job. If this throws, the action is {@link Action#RETRY}. */
    Action onFailure(Job<?> job, Throwable failure);
}
