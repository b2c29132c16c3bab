package io.headgate.spring.annotation;

import io.headgate.limits.Attributes;
import io.headgate.limits.PermitRequest;
import io.headgate.spring.internal.FailureLog;
import io.headgate.spring.internal.expression.Expression;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A compiled annotation of a method. It names its policy, and has no limiter: the policy may be replaced at any time. Safe for use by any
 * number of threads.
 *
 * @param values the dimensions with their values
 * @param permits the number of permits; null for one
 * @param maxWait zero if calls do not wait
 * @param waiting how many calls wait now
 * @param fallback answers denied calls; null if they throw an exception
 */
record MethodLimit(
        boolean inFlight,
        String policy,
        List<Value> values,
        @Nullable Expression permits,
        Duration maxWait,
        int maxWaiting,
        AtomicInteger waiting,
        @Nullable FallbackMethod fallback,
        FailureLog failures) {

    /** A dimension and its value. */
    record Value(String dimension, Expression expression) {}

    /** Starts to wait; returns false if the call must be decided at once. Call {@link #endWait} afterwards if true. */
    boolean startWait() {
        if (maxWait.isZero()) {
            return false;
        }
        if (waiting.incrementAndGet() > maxWaiting) {
            waiting.decrementAndGet();
            return false;
        }
        return true;
    }

    void endWait() {
        waiting.decrementAndGet();
    }

    /**
     * Returns the request of a call; empty if the call needs no permits. The future fails if an expression fails, or a value is absent. It
     * is complete unless an expression is asynchronous.
     */
    CompletableFuture<Optional<PermitRequest>> request(MethodCall call) {
        if (permits == null) {
            return attributes(call).thenApply(attributes -> Optional.of(PermitRequest.of(attributes)));
        }
        return permits.evaluate(call, call::argument).thenCompose(result -> {
            long number = number(result);
            return number == 0
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : attributes(call)
                            .thenApply(attributes ->
                                    Optional.of(PermitRequest.of(attributes).withPermits(number)));
        });
    }

    private static long number(Optional<Object> result) {
        return Long.parseLong(result.orElseThrow(() -> new IllegalArgumentException("the number of permits is null"))
                .toString());
    }

    private CompletableFuture<Attributes> attributes(MethodCall call) {
        if (values.isEmpty()) {
            return CompletableFuture.completedFuture(Attributes.none());
        }
        List<CompletableFuture<Optional<Object>>> found = new ArrayList<>(values.size());
        for (Value value : values) {
            found.add(value.expression().evaluate(call, call::argument));
        }
        return CompletableFuture.allOf(found.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    Map<String, String> attributes = new HashMap<>();
                    for (int i = 0; i < values.size(); i++) {
                        String dimension = values.get(i).dimension();
                        attributes.put(
                                dimension,
                                found.get(i)
                                        .join()
                                        .map(Object::toString)
                                        .orElseThrow(() ->
                                                new IllegalStateException("the value of " + dimension + " is null")));
                    }
                    return Attributes.of(attributes);
                });
    }
}
