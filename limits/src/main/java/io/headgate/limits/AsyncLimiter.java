package io.headgate.limits;

import io.headgate.limits.internal.Resets;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous form of a {@link Limiter}. Each method returns a stage and does not block.
 *
 * <p>A stage completes within the engine's timeout; the stage of {@code acquire} completes within {@code maxWait} plus the timeout. It
 * fails with a {@link LimiterException}, a {@link RequestIdReusedException}, or an {@link IllegalStateException} if the engine is
 * closed. A method throws an exception for an invalid argument immediately, before it returns a stage.
 *
 * <p><b>Threads.</b> A stage may complete on a thread of the store's connection, so dependent actions must not block, except those of
 * {@code acquire}.
 *
 * <p><b>Cancellation.</b> Cancelling a stage ends the wait but refunds nothing, and the request may have been charged. Only {@link
 * #acquire(PermitRequest, Duration)} refunds a cancelled request.
 *
 * <p><b>Order.</b> The store decides requests with the same limits in the order of the calls. Only a request that the engine must send
 * again may be decided later. The engine does so if the store had not loaded the script yet, if the request and the store disagreed about
 * the days of a calendar window, if the request was too expensive for its batch, or if a Cluster was moving its keys.
 *
 * <p>Instances are safe for use by several threads.
 */
public interface AsyncLimiter {

    /** Returns the policy that currently applies. */
    Policy policy();

    /** Requests one permit for an id; see {@link Limiter#tryAcquire(String)}. */
    default CompletionStage<Decision> tryAcquire(String id) {
        return tryAcquire(PermitRequest.of(id));
    }

    /**
     * Requests permits; see {@link Limiter#tryAcquire(PermitRequest)}. If the request id was used for another request, the stage fails
     * with a {@link RequestIdReusedException}.
     */
    CompletionStage<Decision> tryAcquire(PermitRequest request);

    /** Requests one permit for an id, and waits until it is available; see {@link #acquire(PermitRequest, Duration)}. */
    default CompletionStage<Decision> acquire(String id, Duration maxWait) {
        return acquire(PermitRequest.of(id), maxWait);
    }

    /**
     * Requests permits, and waits until they are available, without blocking a thread; see {@link Limiter#acquire(PermitRequest,
     * Duration)}.
     *
     * <p>Cancelling the future of the stage ends the wait, and nothing stays charged except counted attempts. If an attempt is in
     * flight, its permits are refunded when its reply arrives, provided that this is within the engine's timeout.
     *
     * <p>The stage is complete when it is returned, or completes on one of 16 threads that serve only this purpose, so dependent actions
     * may block. If all 16 are blocked, other stages complete late, but requests are still decided. The stages may also complete in
     * another order than the requests were allowed; {@link Decision#decidedAt()} gives that order.
     */
    CompletionStage<Decision> acquire(PermitRequest request, Duration maxWait);

    /** Returns the decision that a request for one permit would receive; see {@link Limiter#peek(String)}. */
    default CompletionStage<Decision> peek(String id) {
        return peek(PermitRequest.of(id));
    }

    /** Returns the decision that a request would receive; see {@link Limiter#peek(PermitRequest)}. */
    CompletionStage<Decision> peek(PermitRequest request);

    /** Refunds a decision; see {@link Limiter#refund(String, Decision)}. */
    default CompletionStage<Long> refund(String id, Decision decision) {
        return refund(policy().attributesOf(id), decision);
    }

    /** Refunds a decision; see {@link Limiter#refund(Attributes, Decision)}. */
    CompletionStage<Long> refund(Attributes attributes, Decision decision);

    /** Refunds the oldest permits; see {@link Limiter#refundOldest(PermitRequest)}. */
    CompletionStage<Long> refundOldest(PermitRequest request);

    /** Resets the counts of an id; see {@link Limiter#reset(String)}. */
    default CompletionStage<Boolean> reset(String id) {
        return reset(policy().attributesOf(id));
    }

    /** Resets the counts of every rule that has dimensions; see {@link Limiter#reset(Attributes)}. */
    default CompletionStage<Boolean> reset(Attributes attributes) {
        return Resets.of(policy(), attributes).eachAsync(this::resetRule);
    }

    /** Resets the count of one rule; see {@link Limiter#resetRule(String, Attributes)}. */
    CompletionStage<Boolean> resetRule(String rule, Attributes attributes);

    /** Pauses the requests for an id; see {@link Limiter#pause(String, Duration)}. */
    default CompletionStage<Duration> pause(String id, Duration pause) {
        return pause(policy().attributesOf(id), pause);
    }

    /**
     * Pauses requests; see {@link Limiter#pause(Attributes, Duration)}. In this process they are paused when the method returns, in others
     * when the stage completes.
     */
    CompletionStage<Duration> pause(Attributes attributes, Duration pause);

    /** Ends the pause of an id; see {@link Limiter#resume(String)}. */
    default CompletionStage<Boolean> resume(String id) {
        return resume(policy().attributesOf(id));
    }

    /** Ends a pause; see {@link Limiter#resume(Attributes)}. */
    CompletionStage<Boolean> resume(Attributes attributes);
}
