package io.headgate.spring.outgoing;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;

/** Reads the properties of a call in an expression, without reflection. */
final class OutgoingCallAccessor implements PropertyAccessor {

    /** The names of the properties. */
    static final List<String> NAMES = List.of("call", "host", "method", "path", "uri", "headers");

    @Override
    public Class<?>[] getSpecificTargetClasses() {
        return new Class<?>[] {OutgoingCall.class};
    }

    @Override
    public boolean canRead(EvaluationContext context, @Nullable Object target, String name) {
        return target instanceof OutgoingCall && NAMES.contains(name);
    }

    @Override
    public TypedValue read(EvaluationContext context, @Nullable Object target, String name) {
        OutgoingCall call = (OutgoingCall) Objects.requireNonNull(target);
        return new TypedValue(
                switch (name) {
                    case "host" -> call.host();
                    case "method" -> call.method();
                    case "path" -> call.path();
                    case "uri" -> call.uri();
                    case "headers" -> call.headers();
                    default -> call;
                });
    }

    @Override
    public boolean canWrite(EvaluationContext context, @Nullable Object target, String name) {
        return false;
    }

    @Override
    public void write(EvaluationContext context, @Nullable Object target, String name, @Nullable Object value) {
        throw new UnsupportedOperationException("a call cannot be changed");
    }
}
