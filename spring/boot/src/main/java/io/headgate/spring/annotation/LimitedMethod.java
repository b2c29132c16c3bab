package io.headgate.spring.annotation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A compiled method with limits. Immutable.
 *
 * @param parameters the index of each parameter, by the names of its variables
 * @param limits its limits, in the order in which they decide
 */
record LimitedMethod(Method method, Result result, Map<String, Integer> parameters, List<MethodLimit> limits) {

    /** What a method returns, by which it ends. */
    enum Result {
        /** A value: the call ends when the method returns. */
        VALUE,
        /** A stage, with which the call ends. */
        STAGE,
        /** A publisher, each of whose subscriptions is a call. */
        PUBLISHER,
        /** The value of a suspend function, with which the call ends. */
        SUSPENDED,
        /** The flow of a suspend function, each of whose collections is a call. */
        SUSPENDED_FLOW
    }

    MethodCall call(Object target, @Nullable Object[] arguments) {
        return call(target, arguments, null);
    }

    /** Returns a call whose expressions have a conversion of their results; null for that of the application. */
    MethodCall call(Object target, @Nullable Object[] arguments, @Nullable UnaryOperator<Object> conversion) {
        return new MethodCall(method.getName(), target, arguments, parameters, conversion);
    }
}
