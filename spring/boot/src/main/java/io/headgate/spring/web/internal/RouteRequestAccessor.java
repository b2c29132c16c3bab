package io.headgate.spring.web.internal;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;

/** Reads the properties of a request in an expression, and the entries of maps, without reflection. */
final class RouteRequestAccessor implements PropertyAccessor {

    static final String PRINCIPAL = "principal";

    /** The names of the properties. */
    static final List<String> NAMES = List.of(PRINCIPAL, "request", "clientAddress", "pathVariables");

    @Override
    public Class<?>[] getSpecificTargetClasses() {
        return new Class<?>[] {RouteRequest.class, Map.class};
    }

    @Override
    public boolean canRead(EvaluationContext context, @Nullable Object target, String name) {
        return target instanceof Map || (target instanceof RouteRequest && NAMES.contains(name));
    }

    @Override
    public TypedValue read(EvaluationContext context, @Nullable Object target, String name) {
        if (target instanceof Map<?, ?> map) {
            return new TypedValue(map.get(name));
        }
        RouteRequest request = (RouteRequest) java.util.Objects.requireNonNull(target);
        return new TypedValue(
                switch (name) {
                    case PRINCIPAL -> request.principal().orElse(null);
                    case "request" -> request;
                    case "clientAddress" -> request.clientAddress().orElse(null);
                    default -> request.pathVariables();
                });
    }

    @Override
    public boolean canWrite(EvaluationContext context, @Nullable Object target, String name) {
        return false;
    }

    @Override
    public void write(EvaluationContext context, @Nullable Object target, String name, @Nullable Object value) {
        throw new UnsupportedOperationException("a request cannot be changed");
    }
}
