package io.headgate.spring.outgoing;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.spring.outgoing.CallGrant.Charged;
import io.headgate.spring.outgoing.CallGrant.Decided;
import io.headgate.spring.outgoing.CallGrant.Held;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The limiter of a route's policy, which has rate limits or in-flight limits. */
sealed interface CallLimiter {

    /** Returns the limiter of a policy; empty if there is no such policy. */
    static Optional<CallLimiter> find(PolicyRegistry registry, String policy) {
        return registry.findLimiter(policy).<CallLimiter>map(OfRates::new).or(() -> registry.findInFlightLimiter(policy)
                .map(OfHolds::new));
    }

    /** The dimensions of the policy. */
    Set<String> dimensions();

    /**
     * Waits for permits.
     *
     * @throws InterruptedException if the thread is interrupted meanwhile; nothing is charged or held
     */
    Decided acquire(PermitRequest request, Duration maxWait) throws InterruptedException;

    /** Waits for permits without blocking. To cancel the future ends the wait, and nothing is charged or held. */
    CompletableFuture<Decided> acquireAsync(PermitRequest request, Duration maxWait);

    /** Rate limits. */
    record OfRates(Limiter limiter) implements CallLimiter {

        @Override
        public Set<String> dimensions() {
            return limiter.policy().dimensions();
        }

        @Override
        public Decided acquire(PermitRequest request, Duration maxWait) throws InterruptedException {
            return new Charged(limiter, request.attributesFor(limiter.policy()), limiter.acquire(request, maxWait));
        }

        @Override
        public CompletableFuture<Decided> acquireAsync(PermitRequest request, Duration maxWait) {
            return decided(
                    limiter.async().acquire(request, maxWait).toCompletableFuture(),
                    decision -> new Charged(limiter, request.attributesFor(limiter.policy()), decision));
        }
    }

    /** In-flight limits. */
    record OfHolds(InFlightLimiter limiter) implements CallLimiter {

        @Override
        public Set<String> dimensions() {
            return limiter.policy().dimensions();
        }

        @Override
        public Decided acquire(PermitRequest request, Duration maxWait) throws InterruptedException {
            return new Held(limiter.policy().name(), limiter.acquire(request, maxWait));
        }

        @Override
        public CompletableFuture<Decided> acquireAsync(PermitRequest request, Duration maxWait) {
            return decided(
                    limiter.async().acquire(request, maxWait).toCompletableFuture(),
                    hold -> new Held(limiter.policy().name(), hold));
        }
    }

    /** Converts a decision. To cancel the result cancels the decision; one that is made nevertheless is released. */
    private static <T> CompletableFuture<Decided> decided(CompletableFuture<T> decision, Function<T, Decided> grant) {
        CompletableFuture<Decided> result = new CompletableFuture<>();
        decision.whenComplete((made, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
                return;
            }
            Decided granted = grant.apply(made);
            if (!result.complete(granted)) {
                granted.release();
            }
        });
        result.whenComplete((made, failure) -> {
            if (result.isCancelled()) {
                decision.cancel(true);
            }
        });
        return result;
    }
}
