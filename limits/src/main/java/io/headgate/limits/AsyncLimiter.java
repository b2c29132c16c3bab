package io.headgate.limits;

import io.headgate.limits.internal.Resets;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous form of a {@link Limiter}. Each method returns a stage and does not block.
 *
 * <p>A stage completes within the engine's timeout; that of {@code acquire} within {@code maxWait} and the timeout. It fails with
 * a {@link LimiterException}, a {@link RequestIdReusedException}, or an {@link IllegalStateException} if the engine is closed. An
 * invalid argument is thrown, not returned.
 *
 * <p><b>Threads.</b> A stage may complete on a thread of the store's connection, so dependent actions must not block. Only those of
 * {@code acquire} may.
 *
 * <p><b>Cancellation.</b> Cancelling a stage ends the wait and refunds nothing; the request may have been charged. {@link
 * #acquire(PermitRequest, Duration)} refunds.
 *
 * <p><b>Order.</b> The store decides requests in the order of the calls. Exceptions are requests that the engine must send again: the
 * first ones while the store loads a script, those that state other days of a calendar than the store has, and those whose replies
 * were lost, where the engine resends them.
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

    /** Requests permits; see {@link Limiter#tryAcquire(PermitRequest)}. A reused request id fails the stage. */
    CompletionStage<Decision> tryAcquire(PermitRequest request);

    /** Requests one permit for an id, and waits until it is available; see {@link #acquire(PermitRequest, Duration)}. */
    default CompletionStage<Decision> acquire(String id, Duration maxWait) {
        return acquire(PermitRequest.of(id), maxWait);
    }

    /**
     * Requests permits, and waits until they are available, without blocking a thread; see {@link Limiter#acquire(PermitRequest,
     * Duration)}.
     *
     * <p>Cancelling the future of the stage ends the wait and leaves nothing charged. If an attempt is in flight, its permits are
     * refunded when the reply arrives within the engine's timeout.
     *
     * <p>The stage completes on one of 16 threads that serve only this purpose, so dependent actions may block. If all 16 are blocked,
     * other stages complete late, but requests are still decided. For the same reason, stages may complete in another order than
     * their requests were allowed in; {@link Decision#decidedAt()} gives that order.
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
}
