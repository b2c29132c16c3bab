package io.headgate.queues;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous form of a {@link Lease}. Each method that calls the store returns a stage with the result of the blocking method of
 * the same name, and does not block. If the blocking method would throw an exception, the stage fails with it; for an invalid argument,
 * the method throws it immediately.
 *
 * @param <T> the type of the payload
 */
public interface AsyncLease<T> {

    /** Decodes and returns the job; see {@link Lease#job()}. */
    Job<T> job();

    /** Returns the id of the job, even if its payload cannot be decoded. */
    JobId id();

    /** Returns when the lease expires by Redis's clock; a successful {@link #extend} of this object changes it. */
    Instant expiresAt();

    /** The asynchronous form of {@link Lease#ack()}. */
    CompletionStage<Settled> ack();

    /** The asynchronous form of {@link Lease#handBack()}. */
    default CompletionStage<Settled> handBack() {
        return handBack(Duration.ZERO);
    }

    /** The asynchronous form of {@link Lease#handBack(Duration)}. */
    CompletionStage<Settled> handBack(Duration delay);

    /** The asynchronous form of {@link Lease#retry(Duration, String)}. */
    CompletionStage<Settled> retry(Duration delay, String cause);

    /** The asynchronous form of {@link Lease#deadLetter(String)}. */
    CompletionStage<Settled> deadLetter(String cause);

    /** The asynchronous form of {@link Lease#extend(Duration)}. */
    CompletionStage<Settled> extend(Duration lease);
}
