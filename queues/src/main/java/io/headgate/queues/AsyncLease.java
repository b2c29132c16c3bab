package io.headgate.queues;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;

/**
 * A {@link Lease} with calls that do not block. Each method returns a stage with the result of its namesake. If the namesake
 * would throw, the stage fails with that exception.
 *
 * @param <T> the type of the payload
 */
public interface AsyncLease<T> {

    /** {@link Lease#job()}. */
    Job<T> job();

    /** {@link Lease#id()}. */
    JobId id();

    /** {@link Lease#expiresAt()}. */
    Instant expiresAt();

    /** {@link Lease#ack()}. */
    CompletionStage<Settled> ack();

    /** {@link Lease#handBack()}. */
    default CompletionStage<Settled> handBack() {
        return handBack(Duration.ZERO);
    }

    /** {@link Lease#handBack(Duration)}. */
    CompletionStage<Settled> handBack(Duration delay);

    /** {@link Lease#retry(Duration, String)}. */
    CompletionStage<Settled> retry(Duration delay, String cause);

    /** {@link Lease#deadLetter(String)}. */
    CompletionStage<Settled> deadLetter(String cause);

    /** {@link Lease#extend(Duration)}. */
    CompletionStage<Settled> extend(Duration lease);
}
