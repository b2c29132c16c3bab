package io.headgate.spring.annotation;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A call: the root of the expressions of its method. Immutable. */
final class MethodCall {

    /** The properties of the root. */
    static final List<String> PROPERTIES = List.of("methodName", "target");

    private final String methodName;
    private final Object target;
    private final @Nullable Object[] arguments;
    private final Map<String, Integer> parameters;

    /**
     * Creates a call.
     *
     * @param parameters the index of each parameter, by the names of its variables
     */
    MethodCall(String methodName, Object target, @Nullable Object[] arguments, Map<String, Integer> parameters) {
        this.methodName = methodName;
        this.target = target;
        this.arguments = arguments;
        this.parameters = parameters;
    }

    /** Returns the name of the method. */
    public String getMethodName() {
        return methodName;
    }

    /** Returns the object that is called. */
    public Object getTarget() {
        return target;
    }

    /** Returns the argument of a variable; null if there is none. */
    @Nullable
    Object argument(String variable) {
        Integer index = parameters.get(variable);
        return index == null ? null : arguments[index];
    }
}
