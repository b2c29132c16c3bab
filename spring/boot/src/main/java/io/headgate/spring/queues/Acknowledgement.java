package io.headgate.spring.queues;

import java.time.Duration;

/**
 * Settles the job of a listener that has this parameter. Such a listener calls one method before it returns, or before the stage or
 * publisher that it returns completes; otherwise the attempt fails. The job is settled afterwards, unless the listener fails with an
 * exception, which then decides. A second call throws an {@link IllegalStateException}. Safe for use by several threads.
 */
public interface Acknowledgement {

    /** Acknowledges the job as done. */
    void ack();

    /**
     * Records a failed attempt. The next one is due after the delay. After the last attempt, the job becomes a dead letter.
     *
     * @param delay 0 to 3660 days
     * @param cause the reason, which is stored with the job; at most 1500 bytes of UTF-8 are kept
     */
    void retry(Duration delay, String cause);

    /**
     * Releases the job. It is due after the delay, and the delivery does not count as an attempt.
     *
     * @param delay 0 to 3660 days
     */
    void handBack(Duration delay);

    /**
     * Makes the job a dead letter.
     *
     * @param cause the reason, which is stored with the job; at most 1500 bytes of UTF-8 are kept
     */
    void deadLetter(String cause);
}
