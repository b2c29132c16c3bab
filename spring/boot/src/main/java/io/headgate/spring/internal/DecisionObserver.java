package io.headgate.spring.internal;

import io.headgate.limits.Decision;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.combined.CombinedDecision;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Observes the decisions of routes and annotations that take time: because they call Redis, or wait for permits. A decision that is made at
 * once, as by a lease or a cached denial, is not observed. Safe for use by any number of threads.
 */
public interface DecisionObserver {

    /** Observes nothing. */
    DecisionObserver NONE = new DecisionObserver() {

        @Override
        public boolean isEnabled() {
            return false;
        }

        @Override
        public <T> CompletableFuture<T> observe(CompletableFuture<T> decision, Function<T, Outcome> outcome) {
            return decision;
        }
    };

    /**
     * The outcome of a decision.
     *
     * @param policy the name of the policy
     * @param deniedBy the rule that denied; empty if the request is allowed, or was denied without rules
     * @param counted whether the counts of the store decided
     */
    record Outcome(String policy, boolean allowed, Optional<String> deniedBy, boolean counted) {

        /** Returns the outcome of a request. */
        public static Outcome of(Decision decision) {
            return new Outcome(
                    decision.policyName(),
                    decision.allowed(),
                    decision.deniedBy(),
                    decision.basis() == Decision.Basis.COUNTED);
        }

        /** Returns the outcome of a request to several policies: that of the decisive one. */
        public static Outcome of(CombinedDecision decision) {
            return of(decision.decisive());
        }

        /** Returns the outcome of a request for a hold. */
        public static Outcome of(String policy, Hold hold) {
            return new Outcome(
                    policy,
                    hold.allowed(),
                    hold.deniedBy().map(InFlightRule::name),
                    hold.inFlight().basis() == Decision.Basis.COUNTED);
        }
    }

    /** Whether decisions are observed. If not, blocking calls need not be started as asynchronous ones. */
    boolean isEnabled();

    /** Observes a decision that has been started just now. Returns the same future. */
    <T> CompletableFuture<T> observe(CompletableFuture<T> decision, Function<T, Outcome> outcome);

    /**
     * Makes calls whose observations are parts of another one.
     *
     * @param parent the other observation; null for that of the thread
     */
    default <T> T within(@Nullable Object parent, Supplier<T> calls) {
        return calls.get();
    }

    /**
     * Waits for a decision that was started as an asynchronous one.
     *
     * @throws InterruptedException if the thread is interrupted meanwhile; the decision is cancelled
     */
    static <T> T await(CompletableFuture<T> decision) throws InterruptedException {
        try {
            return decision.get();
        } catch (InterruptedException e) {
            decision.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        }
    }
}
