package io.headgate.limits;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * One policy, asked without waiting: the calls of {@link Limiter}, each answered by a stage that completes within the
 * engine's time-out, or {@code acquire}'s own, with a {@link LimiterException} when the store can't be asked.
 *
 * <p>To cancel a stage gives up the wait and takes nothing back: whether the request was charged is then not known. Calls
 * are decided in the order in which they were made, but for those that a store must be sent again: the first ones while it
 * learns a script, those that were told other days of a calendar than it has, and those whose replies were lost, where an
 * engine sends these again.
 *
 * <p>A wrong argument throws at once. Stages may complete on a thread of the store's connection: what is chained to
 * them must not block, but for those of {@link #acquire(Attributes, long, Duration) acquire}. Safe for use by any number
 * of threads.
 */
public interface AsyncLimiter {

    /** The policy that decides. */
    Policy policy();

    /** {@link Limiter#tryAcquire(Attributes, long)} without waiting. */
    CompletionStage<Decision> tryAcquire(Attributes attributes, long permits);

    /** {@link Limiter#tryAcquire(Attributes)} without waiting. */
    default CompletionStage<Decision> tryAcquire(Attributes attributes) {
        return tryAcquire(attributes, 1);
    }

    /** {@link Limiter#tryAcquire(String, long)} without waiting. */
    default CompletionStage<Decision> tryAcquire(String id, long permits) {
        return tryAcquire(policy().attributesOf(id), permits);
    }

    /** {@link Limiter#tryAcquire(String)} without waiting. */
    default CompletionStage<Decision> tryAcquire(String id) {
        return tryAcquire(id, 1);
    }

    /** {@link Limiter#tryAcquire()} without waiting. */
    default CompletionStage<Decision> tryAcquire() {
        return tryAcquire(Attributes.none());
    }

    /**
     * {@link Limiter#tryAcquire(Attributes, long, RequestId)} without waiting. That an id was used before is learned from the
     * store, so it is the stage that fails with a {@link RequestIdReusedException}.
     */
    CompletionStage<Decision> tryAcquire(Attributes attributes, long permits, RequestId id);

    /** {@link Limiter#tryAcquire(Attributes, RequestId)} without waiting. */
    default CompletionStage<Decision> tryAcquire(Attributes attributes, RequestId id) {
        return tryAcquire(attributes, 1, id);
    }

    /** {@link Limiter#tryAcquire(String, long, RequestId)} without waiting. */
    default CompletionStage<Decision> tryAcquire(String id, long permits, RequestId requestId) {
        return tryAcquire(policy().attributesOf(id), permits, requestId);
    }

    /** {@link Limiter#tryAcquire(String, RequestId)} without waiting. */
    default CompletionStage<Decision> tryAcquire(String id, RequestId requestId) {
        return tryAcquire(id, 1, requestId);
    }

    /** {@link Limiter#tryAcquire(RequestId)} without waiting. */
    default CompletionStage<Decision> tryAcquire(RequestId id) {
        return tryAcquire(Attributes.none(), id);
    }

    /**
     * {@link Limiter#acquire(Attributes, long, Duration)} without holding a thread. To cancel the stage's future ends the
     * wait and leaves nothing charged: permits that are under way to it are given back when they come, if that is within the
     * engine's time-out.
     *
     * <p>The stage is told on one of 16 threads that do nothing else, so what is chained to it may block: the lines go on,
     * and only when all 16 are blocked others are told late. For the same reason those who were admitted one after another
     * may be told in another order; {@link Decision#decidedAt()} says which.
     */
    CompletionStage<Decision> acquire(Attributes attributes, long permits, Duration maxWait);

    /** {@link Limiter#acquire(Attributes, Duration)} without holding a thread. */
    default CompletionStage<Decision> acquire(Attributes attributes, Duration maxWait) {
        return acquire(attributes, 1, maxWait);
    }

    /** {@link Limiter#acquire(String, long, Duration)} without holding a thread. */
    default CompletionStage<Decision> acquire(String id, long permits, Duration maxWait) {
        return acquire(policy().attributesOf(id), permits, maxWait);
    }

    /** {@link Limiter#acquire(String, Duration)} without holding a thread. */
    default CompletionStage<Decision> acquire(String id, Duration maxWait) {
        return acquire(id, 1, maxWait);
    }

    /** {@link Limiter#acquire(Duration)} without holding a thread. */
    default CompletionStage<Decision> acquire(Duration maxWait) {
        return acquire(Attributes.none(), maxWait);
    }

    /** {@link Limiter#peek(Attributes, long)} without waiting. */
    CompletionStage<Decision> peek(Attributes attributes, long permits);

    /** {@link Limiter#peek(Attributes)} without waiting. */
    default CompletionStage<Decision> peek(Attributes attributes) {
        return peek(attributes, 1);
    }

    /** {@link Limiter#peek(String, long)} without waiting. */
    default CompletionStage<Decision> peek(String id, long permits) {
        return peek(policy().attributesOf(id), permits);
    }

    /** {@link Limiter#peek(String)} without waiting. */
    default CompletionStage<Decision> peek(String id) {
        return peek(id, 1);
    }

    /** {@link Limiter#peek()} without waiting. */
    default CompletionStage<Decision> peek() {
        return peek(Attributes.none());
    }

    /** {@link Limiter#refund(Attributes, Decision)} without waiting. */
    CompletionStage<Long> refund(Attributes attributes, Decision decision);

    /** {@link Limiter#refund(String, Decision)} without waiting. */
    default CompletionStage<Long> refund(String id, Decision decision) {
        return refund(policy().attributesOf(id), decision);
    }

    /** {@link Limiter#refund(Decision)} without waiting. */
    default CompletionStage<Long> refund(Decision decision) {
        return refund(Attributes.none(), decision);
    }

    /** {@link Limiter#refund(Attributes, long)} without waiting. */
    CompletionStage<Long> refund(Attributes attributes, long permits);

    /** {@link Limiter#refund(String, long)} without waiting. */
    default CompletionStage<Long> refund(String id, long permits) {
        return refund(policy().attributesOf(id), permits);
    }

    /** {@link Limiter#refund(long)} without waiting. */
    default CompletionStage<Long> refund(long permits) {
        return refund(Attributes.none(), permits);
    }

    /** {@link Limiter#reset(String, Attributes)} without waiting. */
    CompletionStage<Boolean> reset(String rule, Attributes attributes);

    /** {@link Limiter#reset(String)} without waiting. */
    default CompletionStage<Boolean> reset(String id) {
        Attributes attributes = policy().attributesOf(id);
        return reset(policy().rules().stream().filter(rule -> !rule.dimensions().isEmpty()), attributes);
    }

    /** {@link Limiter#reset()} without waiting. */
    default CompletionStage<Boolean> reset() {
        List<Rule> rules = policy().rules();
        rules.forEach(Attributes.none()::idsOf);
        return reset(rules.stream(), Attributes.none());
    }

    private CompletionStage<Boolean> reset(Stream<Rule> rules, Attributes attributes) {
        return rules.map(rule -> reset(rule.name(), attributes))
                .reduce(
                        CompletableFuture.completedFuture(false),
                        (any, one) -> any.thenCombine(one, Boolean::logicalOr));
    }
}
