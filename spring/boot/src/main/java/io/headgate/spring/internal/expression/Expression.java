package io.headgate.spring.internal.expression;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;

/** A parsed expression (SpEL). Immutable and safe for use by any number of threads. */
public final class Expression {

    /** The longest wait for an asynchronous result. */
    public static final int TIMEOUT_SECONDS = 5;

    private final org.springframework.expression.Expression parsed;
    private final EvaluationContext context;
    private final UnaryOperator<Object> results;
    private final Set<String> properties;

    /**
     * Creates an expression.
     *
     * @param results converts a result of another kind to a {@link CompletionStage}, which is cancelled if it takes too long
     * @param properties the names of all properties that the expression uses, of any object
     */
    Expression(
            org.springframework.expression.Expression parsed,
            EvaluationContext context,
            UnaryOperator<Object> results,
            Set<String> properties) {
        this.parsed = parsed;
        this.context = context;
        this.results = results;
        this.properties = Set.copyOf(properties);
    }

    /** Returns the names of all properties that the expression uses, of any object. */
    public Set<String> properties() {
        return properties;
    }

    /**
     * Returns whether the result is true.
     *
     * @throws RuntimeException if the expression fails, or the result is neither true nor false
     */
    public boolean test(Object root) {
        Object result;
        try {
            result = parsed.getValue(context, root);
        } catch (Error e) {
            throw new IllegalStateException("the expression failed", requireFailure(e));
        }
        if (result instanceof Boolean test) {
            return test;
        }
        throw new IllegalStateException("the result must be true or false, but is " + kind(result));
    }

    /** Returns the result, or the error; empty if it is null. Throws nothing but an error of the virtual machine. */
    public CompletableFuture<Optional<Object>> evaluate(Object root) {
        return evaluateIn(context, root, null);
    }

    /**
     * Returns the result, or the error; empty if it is null. Throws nothing but an error of the virtual machine.
     *
     * @param conversion converts the result in place of the conversion of the parser; null for that one
     */
    public CompletableFuture<Optional<Object>> evaluate(Object root, @Nullable UnaryOperator<Object> conversion) {
        return evaluateIn(context, root, conversion);
    }

    /**
     * Returns the result, or the error; empty if it is null. Throws nothing but an error of the virtual machine.
     *
     * @param conversion converts the result in place of the conversion of the parser; null for that one
     * @param variables returns the value of a variable, by its name
     */
    public CompletableFuture<Optional<Object>> evaluate(
            Object root, @Nullable UnaryOperator<Object> conversion, Function<String, @Nullable Object> variables) {
        return evaluateIn(new CallContext(context, variables), root, conversion);
    }

    private CompletableFuture<Optional<Object>> evaluateIn(
            EvaluationContext in, Object root, @Nullable UnaryOperator<Object> conversion) {
        try {
            return result(parsed.getValue(in, root), conversion == null ? results : conversion);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        } catch (Error e) {
            return CompletableFuture.failedFuture(requireFailure(e));
        }
    }

    /** Returns an error that an expression causes, such as an overflow of the stack. Throws any other one of the virtual machine. */
    private static Error requireFailure(Error error) {
        if (error instanceof VirtualMachineError && !(error instanceof StackOverflowError)) {
            throw error;
        }
        return error;
    }

    private static CompletableFuture<Optional<Object>> result(
            @Nullable Object result, UnaryOperator<Object> conversion) {
        if (result == null || result instanceof String) {
            return CompletableFuture.completedFuture(Optional.ofNullable(result));
        }
        Object converted = conversion.apply(result);
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
    public static <T> CompletableFuture<T> bounded(CompletionStage<T> stage) {
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
