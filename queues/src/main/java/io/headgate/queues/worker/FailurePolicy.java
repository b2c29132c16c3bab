package io.headgate.queues.worker;

import io.headgate.queues.Job;

/** Says what becomes of a job whose attempt has failed, by what it failed of. Called by several threads at once. */
@FunctionalInterface
public interface FailurePolicy {

    /** What can become of such a job. */
    enum Action {
        /** It is tried again as the {@link RetryPolicy} says, and after the last attempt is a dead letter. */
        RETRY,
        /** It is a dead letter, without another attempt. */
        DEAD_LETTER,
        /** It is taken for done. */
        DISCARD,
        /**
         * It is handed back, and this was no attempt: for a failure that says nothing of the job, such as that a service which it
         * needs is down. It is due again after the wait that the {@link RetryPolicy} has for as many failures as it was handed
         * out, and so each time later, up to the longest wait; after a second where the policy has no waits. It is parked as often as the policy says so, without end.
         */
        PARK
    }

    /** What becomes of the job; one that throws is taken to have said {@link Action#RETRY}. */
    Action onFailure(Job<?> job, Throwable failure);
}
