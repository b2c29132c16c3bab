package io.headgate.queues;

import java.time.Duration;
import java.time.Instant;

/**
 * A claimed job. Until the lease expires, no other worker receives the job. The holder settles the job once, with {@link #ack},
 * {@link #handBack}, {@link #retry} or {@link #deadLetter}. A job whose lease expires is delivered again.
 *
 * <p>A call that settles or extends returns {@link Settled#LEASE_LOST} and changes nothing if the lease has expired or the
 * job is settled; the lease of a stream entry differs, see {@link io.headgate.queues.streams.ConsumerGroup#claim(int, Duration)}. The
 * call throws a {@link QueueException} if the store fails. Then it is unknown whether the call took effect,
 * unless {@link QueueException#mayBeDone()} is false. Safe for use by several threads.
 *
 * @param <T> the type of the payload
 */
public interface Lease<T> {

    /**
     * Decodes and returns the job.
     *
     * @throws RuntimeException the exception of the codec, if it cannot decode the payload
     */
    Job<T> job();

    /** Returns the id of the job, even if its payload cannot be decoded. */
    JobId id();

    /** Returns the same lease with calls that do not block. */
    AsyncLease<T> async();

    /** Returns when the lease expires by Redis's clock; a successful {@link #extend} of this object changes it. */
    Instant expiresAt();

    /** Acknowledges the job. It is done, and is deleted unless the queue {@linkplain KeepDone keeps} it. */
    Settled ack();

    /** Releases the job. It is due now, and the delivery does not count as an attempt. */
    default Settled handBack() {
        return handBack(Duration.ZERO);
    }

    /**
     * Releases the job. It is due after the delay, and the delivery does not count as an attempt.
     *
     * @param delay 0 to 3660 days
     */
    Settled handBack(Duration delay);

    /**
     * Records a failed attempt. The next attempt is due after the delay.
     *
     * @param delay 0 to 3660 days
     * @param cause the reason, stored with the job; at most 1500 bytes of UTF-8 are kept. An unpaired surrogate throws an
     *     {@link IllegalArgumentException}
     */
    Settled retry(Duration delay, String cause);

    /**
     * Records a failed attempt, and moves the job to the dead letters.
     *
     * @param cause the reason, stored with the job; at most 1500 bytes of UTF-8 are kept. An unpaired surrogate throws an
     *     {@link IllegalArgumentException}
     */
    Settled deadLetter(String cause);

    /**
     * Extends the lease.
     *
     * @param lease the time from now until it expires: 10 ms to 1 day
     */
    Settled extend(Duration lease);
}
