package io.headgate.spring.operations;

import io.headgate.spring.internal.DecisionObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Creates an observation named {@value #NAME} for each decision that takes time, with the policy, the outcome and the rule that denied, but
 * no ids. An observation begins when the call has been sent; its parent is the current observation of the thread.
 */
final class DecisionObservations implements DecisionObserver {

    static final String NAME = "headgate.decision";

    private static final String POLICY = "policy";
    private static final String OUTCOME = "outcome";
    private static final String RULE = "rule";
    private static final String NONE = "none";

    private final ObservationRegistry registry;
    private final boolean enabled;
    private final FirstPolicies<String> policies = new FirstPolicies<>(Function.identity());

    /**
     * Creates an observer.
     *
     * @param inMemory whether the engine is in memory, whose decisions take no time, so that nothing is observed
     */
    DecisionObservations(ObservationRegistry registry, boolean inMemory) {
        this.registry = registry;
        this.enabled = !inMemory && !registry.isNoop();
    }

    @Override
    public boolean isEnabled() {
        return enabled;
    }

    @Override
    public <T> CompletableFuture<T> observe(CompletableFuture<T> decision, Function<T, Outcome> outcome) {
        if (!enabled) {
            return decision;
        }
        // Redis may have replied already, if this thread had to wait for a processor.
        if (!decision.isDone() || isCounted(decision, outcome)) {
            Observation observation = Observation.start(NAME, registry);
            decision.whenComplete((decided, failure) -> stop(observation, outcome, decided, failure));
        }
        return decision;
    }

    @Override
    public <T> T within(@Nullable Object parent, Supplier<T> calls) {
        if (!enabled || !(parent instanceof Observation observation)) {
            return calls.get();
        }
        try (Observation.Scope scope = observation.openScope()) {
            return calls.get();
        }
    }

    private static <T> boolean isCounted(CompletableFuture<T> decision, Function<T, Outcome> outcome) {
        return !decision.isCompletedExceptionally()
                && outcome.apply(decision.join()).counted();
    }

    private <T> void stop(
            Observation observation, Function<T, Outcome> outcome, @Nullable T decided, @Nullable Throwable failure) {
        if (decided == null) {
            observation
                    .lowCardinalityKeyValue(POLICY, NONE)
                    .lowCardinalityKeyValue(OUTCOME, "failed")
                    .lowCardinalityKeyValue(RULE, NONE);
            if (failure != null) {
                observation.error(
                        failure instanceof CompletionException && failure.getCause() != null
                                ? failure.getCause()
                                : failure);
            }
        } else {
            Outcome known = outcome.apply(decided);
            observation
                    .lowCardinalityKeyValue(POLICY, policies.get(known.policy()))
                    .lowCardinalityKeyValue(OUTCOME, known.allowed() ? "allowed" : "denied")
                    .lowCardinalityKeyValue(RULE, known.deniedBy().orElse(NONE));
        }
        observation.stop();
    }
}
