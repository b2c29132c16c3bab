package io.headgate.queues;

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
        DISCARD
    }

    /** What becomes of the job; one that throws is taken to have said {@link Action#RETRY}. */
    Action onFailure(Job<?> job, Throwable failure);
}
