package io.headgate.queues;

import java.time.Duration;
import java.time.Instant;

/**
 * A job in hand: until the lease expires nobody else gets it. Whoever holds it says what came of the job, once; where
 * nothing is said in time, the job is handed out again.
 *
 * <p>Every method that asks the engine throws a {@link QueueException} when it can't be asked; then whether it was done
 * is not known, unless the exception says so. Safe for use by several threads.
 *
 * @param <T> what a payload is
 */
public interface Lease<T> {

    /**
     * The job.
     *
     * @throws RuntimeException what the codec throws, when it can't decode the payload
     */
    Job<T> job();

    /** Its id, also where the payload can't be decoded. */
    JobId id();

    /** The same lease, asked without blocking. */
    AsyncLease<T> async();

    /** When the lease expires unless it is extended, by Redis's clock. */
    Instant expiresAt();

    /** The job is done, and leaves the queue. */
    Settled ack();

    /** The job is due again at once, before all that were due later; this was no attempt. */
    default Settled handBack() {
        return handBack(Duration.ZERO);
    }

    /** The job is due again after a delay of 0 to 3660 days; this was no attempt. */
    Settled handBack(Duration delay);

    /**
     * The attempt failed, and the next one is due after a delay.
     *
     * @param delay 0 to 3660 days
     * @param cause why; kept with the job, the first 1500 bytes of it as UTF-8. Half of a surrogate pair without its other half is
     *     refused with an {@link IllegalArgumentException}
     */
    Settled retry(Duration delay, String cause);

    /**
     * The job goes to the dead letters.
     *
     * @param cause why; kept with the job, the first 1500 bytes of it as UTF-8. Half of a surrogate pair without its other half is
     *     refused with an {@link IllegalArgumentException}
     */
    Settled deadLetter(String cause);

    /** The lease expires so long from now: 10 ms to 1 day. */
    Settled extend(Duration lease);
}
