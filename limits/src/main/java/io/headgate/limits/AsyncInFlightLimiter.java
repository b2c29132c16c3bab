package io.headgate.limits;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * The calls of an {@link InFlightLimiter} without waiting. What is chained to their stages must not block, but for those of
 * {@code acquire}. A stage fails with a {@link LimiterException}; what is wrong with a call is thrown at once. Whoever cancels a
 * stage before it is complete holds nothing: what comes then is given back.
 */
public interface AsyncInFlightLimiter {

    /** The policy that decides now. */
    InFlightPolicy policy();

    /** {@link InFlightLimiter#tryAcquire(Attributes, long)} without waiting. */
    CompletionStage<Hold> tryAcquire(Attributes attributes, long permits);

    /** {@link InFlightLimiter#tryAcquire(Attributes)} without waiting. */
    default CompletionStage<Hold> tryAcquire(Attributes attributes) {
        return tryAcquire(attributes, 1);
    }

    /** {@link InFlightLimiter#tryAcquire(String, long)} without waiting. */
    default CompletionStage<Hold> tryAcquire(String id, long permits) {
        return tryAcquire(policy().attributesOf(id), permits);
    }

    /** {@link InFlightLimiter#tryAcquire(String)} without waiting. */
    default CompletionStage<Hold> tryAcquire(String id) {
        return tryAcquire(id, 1);
    }

    /** {@link InFlightLimiter#tryAcquire()} without waiting. */
    default CompletionStage<Hold> tryAcquire() {
        return tryAcquire(Attributes.none());
    }

    /** {@link InFlightLimiter#acquire(Attributes, long, Duration)} without holding a thread. */
    CompletionStage<Hold> acquire(Attributes attributes, long permits, Duration maxWait);

    /** {@link InFlightLimiter#acquire(Attributes, Duration)} without holding a thread. */
    default CompletionStage<Hold> acquire(Attributes attributes, Duration maxWait) {
        return acquire(attributes, 1, maxWait);
    }

    /** {@link InFlightLimiter#acquire(String, long, Duration)} without holding a thread. */
    default CompletionStage<Hold> acquire(String id, long permits, Duration maxWait) {
        return acquire(policy().attributesOf(id), permits, maxWait);
    }

    /** {@link InFlightLimiter#acquire(String, Duration)} without holding a thread. */
    default CompletionStage<Hold> acquire(String id, Duration maxWait) {
        return acquire(id, 1, maxWait);
    }

    /** {@link InFlightLimiter#acquire(Duration)} without holding a thread. */
    default CompletionStage<Hold> acquire(Duration maxWait) {
        return acquire(Attributes.none(), maxWait);
    }

    /** The same places for holders that are not this process: nothing is renewed in the background. */
    HoldTickets tickets();

    /** {@link InFlightLimiter#peek(Attributes)} without waiting. */
    CompletionStage<InFlight> peek(Attributes attributes);

    /** {@link InFlightLimiter#peek(String)} without waiting. */
    default CompletionStage<InFlight> peek(String id) {
        return peek(policy().attributesOf(id));
    }

    /** {@link InFlightLimiter#peek()} without waiting. */
    default CompletionStage<InFlight> peek() {
        return peek(Attributes.none());
    }

    /** {@link InFlightLimiter#reset(String, Attributes)} without waiting. */
    CompletionStage<Boolean> reset(String rule, Attributes attributes);

    /** {@link InFlightLimiter#reset(String)} without waiting. */
    default CompletionStage<Boolean> reset(String id) {
        Attributes attributes = policy().attributesOf(id);
        return reset(policy().rules().stream().filter(rule -> !rule.dimensions().isEmpty()), attributes);
    }

    /** {@link InFlightLimiter#reset()} without waiting. */
    default CompletionStage<Boolean> reset() {
        List<InFlightRule> rules = policy().rules();
        rules.forEach(Attributes.none()::idsOf);
        return reset(rules.stream(), Attributes.none());
    }

    private CompletionStage<Boolean> reset(Stream<InFlightRule> rules, Attributes attributes) {
        return rules.map(rule -> reset(rule.name(), attributes))
                .reduce(
                        CompletableFuture.completedFuture(false),
                        (any, one) -> any.thenCombine(one, Boolean::logicalOr));
    }
}
