package io.headgate.spring.queues;

/**
 * Settles the dead letter of a {@link DeadLetterListener} that has this parameter. Such a listener calls one method before it returns, or
 * before the stage or publisher that it returns completes; otherwise it has failed. The dead letter is settled afterwards, unless the
 * listener fails with an exception: then it stays, and the listener is called again later. A second call throws an {@link
 * IllegalStateException}. Safe for use by several threads.
 */
public interface DeadLetterAcknowledgement {

    /** Deletes the dead letter. */
    void discard();

    /**
     * Returns the dead letter to its queue or group, due now, without its failed attempts. If the queue is full, the dead letter stays,
     * and the listener is called again after a minute.
     */
    void redrive();

    /** Keeps the dead letter for operators. The listener is not called for it again, unless it is redriven and fails again. */
    void keep();
}
