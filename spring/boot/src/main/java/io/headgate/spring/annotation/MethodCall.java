package io.headgate.spring.annotation;

import io.headgate.spring.internal.expression.Expression;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A call: the root of the expressions of its method. Immutable. */
final class MethodCall {

    /** The properties of the root. */
    static final List<String> PROPERTIES = List.of("methodName", "target");

    private final String methodName;
    private final Object target;
    private final @Nullable Object[] arguments;
    private final Map<String, Integer> parameters;
    private final @Nullable UnaryOperator<Object> conversion;

    /**
     * Creates a call.
     *
     * @param parameters the index of each parameter, by the names of its variables
     * @param conversion converts the results of expressions of this call; null if that of the application does
     */
    MethodCall(
            String methodName,
            Object target,
            @Nullable Object[] arguments,
            Map<String, Integer> parameters,
            @Nullable UnaryOperator<Object> conversion) {
        this.methodName = methodName;
        this.target = target;
        this.arguments = arguments;
        this.parameters = parameters;
        this.conversion = conversion;
    }

    /** Returns the name of the method. */
    public String getMethodName() {
        return methodName;
    }

    /** Returns the object that is called. */
    public Object getTarget() {
        return target;
    }

    /** Evaluates an expression for this call, as {@link Expression#evaluate(Object)}. */
    CompletableFuture<Optional<Object>> evaluate(Expression expression) {
        return expression.evaluate(this, conversion, this::argument);
    }

    /** Returns the argument of a variable; null if there is none. */
    private @Nullable Object argument(String variable) {
        Integer index = parameters.get(variable);
        return index == null ? null : arguments[index];
    }
}
