package io.headgate.spring.web;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;

/** A parsed expression (SpEL) of a route. Immutable. */
final class Expression {

    /** The longest wait for an asynchronous result. */
    static final int TIMEOUT_SECONDS = 5;

    private final org.springframework.expression.Expression parsed;
    private final EvaluationContext context;
    private final UnaryOperator<Object> results;

    /**
     * Creates an expression.
     *
     * @param results converts a result of another kind to a {@link CompletionStage}, which is cancelled if it takes too long
     */
    Expression(
            org.springframework.expression.Expression parsed,
            EvaluationContext context,
            UnaryOperator<Object> results) {
        this.parsed = parsed;
        this.context = context;
        this.results = results;
    }

    /** Returns whether the result is true. A result that is neither true nor false is an error. */
    boolean test(RouteRequest request) {
        Object result = parsed.getValue(context, request);
        if (result instanceof Boolean test) {
            return test;
        }
        throw new IllegalStateException("the result must be true or false, but is " + kind(result));
    }

    /** Returns the result, or the error; empty if it is null. Never throws. */
    CompletableFuture<Optional<Object>> evaluate(RouteRequest request) {
        Object result;
        try {
            result = parsed.getValue(context, request);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        if (result == null || result instanceof String) {
            return CompletableFuture.completedFuture(Optional.ofNullable(result));
        }
        Object converted = results.apply(result);
        if (!(converted instanceof CompletionStage<?> stage)) {
            return CompletableFuture.completedFuture(unwrapped(converted));
        }
        CompletableFuture<Optional<Object>> bounded = bounded(stage).thenApply(Expression::unwrapped);
        if (converted != result && !bounded.isDone()) {
            // The conversion is used only here, so that its source can stop if it takes too long.
            bounded.whenComplete((value, failure) -> stage.toCompletableFuture().cancel(true));
        }
        return bounded;
    }

    /** Returns a copy of a stage, which fails if the stage takes too long. */
    static <T> CompletableFuture<T> bounded(CompletionStage<T> stage) {
        CompletableFuture<T> copy = stage.thenApply(value -> value).toCompletableFuture();
        return copy.isDone() ? copy : copy.orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }

    private static Optional<Object> unwrapped(@Nullable Object result) {
        return result instanceof Optional<?> optional ? optional.map(value -> value) : Optional.ofNullable(result);
    }

    private static String kind(@Nullable Object result) {
        return result == null ? "null" : "a " + result.getClass().getName();
    }
}
