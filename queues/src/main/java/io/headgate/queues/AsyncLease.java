package io.headgate.queues;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;

/**
 * A {@link Lease} that is asked without blocking: each method answers what its namesake does, and fails with what that one
 * throws.
 *
 * @param <T> what a payload is
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
