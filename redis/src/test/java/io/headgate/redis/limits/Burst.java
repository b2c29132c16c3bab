package io.headgate.redis.limits;

import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.IntFunction;

/**
 * The outcomes of many calls that were sent without waiting for one another.
 *
 * @param decisions the results of the answered calls
 * @param failures the exceptions of the other calls
 */
public record Burst(List<Decision> decisions, List<LimiterException> failures) {

    private static final int MAX_IN_FLIGHT = 1000;

    /** Makes {@code calls} calls, at most 1000 of them in flight, and waits for all. */
    public static Burst of(int calls, IntFunction<CompletionStage<Decision>> call) {
        Burst burst = new Burst(new ArrayList<>(), new ArrayList<>());
        List<CompletionStage<Decision>> inFlight = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            inFlight.add(call.apply(i));
            if (inFlight.size() == MAX_IN_FLIGHT) {
                inFlight.forEach(burst::await);
                inFlight.clear();
            }
        }
        inFlight.forEach(burst::await);
        return burst;
    }

    /** Waits for all calls. */
    public static Burst awaiting(List<CompletionStage<Decision>> calls) {
        return of(calls.size(), calls::get);
    }

    public long admitted() {
        return decisions.stream().filter(Decision::allowed).count();
    }

    private void await(CompletionStage<Decision> stage) {
        try {
            // Not join(), which the timeout of a test does not interrupt.
            decisions.add(stage.toCompletableFuture().get());
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof LimiterException failure)) {
                throw new AssertionError("a call must fail with a LimiterException alone", e);
            }
            failures.add(failure);
        } catch (InterruptedException e) {
            throw new AssertionError("a call has not ended", e);
        }
    }
}
