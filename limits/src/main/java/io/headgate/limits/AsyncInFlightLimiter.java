package io.headgate.limits;

import io.headgate.limits.internal.Resets;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous form of an {@link InFlightLimiter}. Each method returns a stage and does not block.
 *
 * <p>A stage fails with a {@link LimiterException}, or with an {@link IllegalStateException} if the engine is closed. A method throws
 * an exception for an invalid argument immediately, before it returns a stage.
 *
 * <p>Dependent actions must not block, except those of {@code acquire}. If you cancel the future of a stage, nothing stays held: a hold
 * that is granted afterwards is released.
 *
 * <p>Instances are safe for use by several threads.
 */
public interface AsyncInFlightLimiter {

    /** Returns the policy that currently applies. */
    InFlightPolicy policy();

    /** Requests one permit for an id; see {@link InFlightLimiter#tryAcquire(String)}. */
    default CompletionStage<Hold> tryAcquire(String id) {
        return tryAcquire(PermitRequest.of(id));
    }

    /** Requests permits; see {@link InFlightLimiter#tryAcquire(PermitRequest)}. */
    CompletionStage<Hold> tryAcquire(PermitRequest request);

    /** Requests one permit for an id, and waits until it is free; see {@link InFlightLimiter#acquire(String, Duration)}. */
    default CompletionStage<Hold> acquire(String id, Duration maxWait) {
        return acquire(PermitRequest.of(id), maxWait);
    }

    /**
     * Requests permits, and waits until they are free, without blocking a thread; see {@link
     * InFlightLimiter#acquire(PermitRequest, Duration)}.
     */
    CompletionStage<Hold> acquire(PermitRequest request, Duration maxWait);

    /** Returns a view of this limiter whose holds the clients renew by ticket; this engine does not renew them. */
    HoldTickets tickets();

    /** Returns the permits held for an id; see {@link InFlightLimiter#peek(String)}. */
    default CompletionStage<InFlight> peek(String id) {
        return peek(PermitRequest.of(id));
    }

    /** Returns the permits held for the ids of a request; see {@link InFlightLimiter#peek(PermitRequest)}. */
    CompletionStage<InFlight> peek(PermitRequest request);

    /** Resets the holds of an id; see {@link InFlightLimiter#reset(String)}. */
    default CompletionStage<Boolean> reset(String id) {
        return reset(policy().attributesOf(id));
    }

    /** Resets every rule that has dimensions; see {@link InFlightLimiter#reset(Attributes)}. */
    default CompletionStage<Boolean> reset(Attributes attributes) {
        return Resets.of(policy(), attributes).eachAsync(this::resetRule);
    }

    /** Frees all permits of one rule; see {@link InFlightLimiter#resetRule(String, Attributes)}. */
    CompletionStage<Boolean> resetRule(String rule, Attributes attributes);
}
