package io.headgate.spring.annotation;

import io.headgate.config.PolicyRegistry;
import io.headgate.limits.Attributes;
import io.headgate.spring.annotation.LimitedMethod.Result;
import io.headgate.spring.annotation.MethodLimit.Value;
import io.headgate.spring.internal.FailureLog;
import io.headgate.spring.internal.PolicyProblems;
import io.headgate.spring.internal.RequestValues;
import io.headgate.spring.internal.expression.Expression;
import io.headgate.spring.internal.expression.ExpressionParser;
import io.headgate.spring.internal.expression.ExpressionScope;
import io.headgate.spring.web.InFlightExceededException;
import io.headgate.spring.web.LimitExceededException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.util.ClassUtils;

/** Compiles the annotations of one method, and finds all of their problems. Not safe for use by several threads. */
final class MethodCompiler {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Mono", MethodCompiler.class.getClassLoader());
    private static final Duration LONGEST_WAIT = Duration.ofDays(366);

    private final PolicyRegistry registry;
    private final ExpressionParser expressions;
    private final UnaryOperator<String> placeholders;
    private final Method method;
    private final Class<?> type;
    private final boolean suspendFunctions;
    private final Consumer<String> problems;
    private final Map<String, Integer> parameters;

    /**
     * Creates a compiler.
     *
     * @param placeholders replaces the placeholders of a text
     * @param type the class of the objects that are called
     * @param suspendFunctions whether suspend functions can be limited
     * @param problems receives each problem
     */
    MethodCompiler(
            PolicyRegistry registry,
            ExpressionParser expressions,
            UnaryOperator<String> placeholders,
            Method method,
            Class<?> type,
            boolean suspendFunctions,
            Consumer<String> problems) {
        this.registry = registry;
        this.expressions = expressions;
        this.placeholders = placeholders;
        this.method = method;
        this.type = type;
        this.suspendFunctions = suspendFunctions;
        this.problems = problems;
        this.parameters = parameters(method);
    }

    private static Map<String, Integer> parameters(Method method) {
        Map<String, Integer> parameters = new LinkedHashMap<>();
        String[] names = NAMES.getParameterNames(method);
        int count = SuspendFunctions.parameterTypes(method).size();
        for (int i = 0; i < count; i++) {
            if (names != null) {
                parameters.put(names[i], i);
            }
            parameters.putIfAbsent("a" + i, i);
        }
        return parameters;
    }

    /** The method for messages, for example {@code com.example.Messages.confirm(Order)}. */
    static String name(Method method, Class<?> type) {
        return SuspendFunctions.parameterTypes(method).stream()
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", type.getName() + "." + method.getName() + "(", ")"));
    }

    /** Compiles these annotations. If there are problems, the result has placeholders. */
    LimitedMethod compile(List<LimitSpec> specs) {
        if (LimitAnnotations.isExcluded(method)) {
            problem("@NotLimited", "the method has other annotations of limits, too; remove one of them");
        }
        Result result = result(specs.get(0));
        List<MethodLimit> limits = specs.stream().map(this::limit).toList();
        return new LimitedMethod(method, result, Map.copyOf(new HashMap<>(parameters)), limits);
    }

    private Result result(LimitSpec first) {
        Class<?> returned = method.getReturnType();
        if (SuspendFunctions.isSuspendFunction(method)) {
            if (!suspendFunctions) {
                problem(
                        first.annotation(),
                        "is on a suspend function, which needs kotlinx-coroutines-reactor and kotlin-reflect on the class path");
            }
            return SuspendFunctions.returnsFlow(method) ? Result.SUSPENDED_FLOW : Result.SUSPENDED;
        }
        if (CompletionStage.class.isAssignableFrom(returned)) {
            if (!returned.isAssignableFrom(CompletableFuture.class)) {
                problem(
                        first.annotation(),
                        "needs a method that returns a CompletionStage or CompletableFuture, and not a "
                                + returned.getSimpleName());
            }
            return Result.STAGE;
        }
        return REACTOR && PublisherCalls.isPublisher(returned) ? Result.PUBLISHER : Result.VALUE;
    }

    private MethodLimit limit(LimitSpec spec) {
        String annotation = spec.annotation();
        String policy = text(annotation + ".policy", spec.policy());
        Map<String, Optional<Value>> values = values(annotation, spec.by());
        Duration maxWait =
                checked(annotation + ".maxWait", () -> duration(placeholders.apply(spec.maxWait())), Duration.ZERO);
        String permits = text(annotation + ".permits", spec.permits());
        Optional<Long> number = number(permits);
        PolicyProblems checks =
                new PolicyProblems(registry, annotation, (setting, text) -> problem(annotation + setting, text));
        if (spec.inFlight()) {
            checks.checkInFlight(
                    policy, values.keySet(), number.map(given -> Math.min(given, PolicyProblems.MAX_HELD)));
        } else {
            checks.checkRate(policy, values.keySet(), number, !maxWait.isZero());
        }
        if (spec.maxWaiting() < 1) {
            problem(annotation + ".maxWaiting", "must be at least 1, but was " + spec.maxWaiting());
        }
        return new MethodLimit(
                spec.inFlight(),
                policy,
                values.values().stream().flatMap(Optional::stream).toList(),
                permits.equals("1") ? null : expression(annotation + ".permits", permits),
                maxWait,
                spec.maxWaiting(),
                new AtomicInteger(),
                fallback(spec),
                new FailureLog(annotation + " of " + name(method, type)));
    }

    /** Returns the permits of each call; empty if an expression computes them. */
    private static Optional<Long> number(String permits) {
        return permits.matches("[0-9]+") ? Optional.of(RequestValues.permits(permits)) : Optional.empty();
    }

    /** The values by their dimensions; empty for one that has a problem. */
    private Map<String, Optional<Value>> values(String annotation, List<String> by) {
        Map<String, Optional<Value>> values = new LinkedHashMap<>();
        for (String entry : by) {
            String text = text(annotation + ".by", entry);
            int colon = text.indexOf(':');
            if (colon < 0) {
                problem(annotation + ".by", "must have the form dimension: expression, but was " + text);
                continue;
            }
            String dimension = text.substring(0, colon).strip();
            String property = annotation + ".by." + dimension;
            checked(property, () -> Attributes.of(dimension, "any"), Attributes.none());
            Optional<Value> value = Optional.ofNullable(
                            expression(property, text.substring(colon + 1).strip()))
                    .map(expression -> new Value(dimension, expression));
            if (values.put(dimension, value) != null) {
                problem(property, "occurs twice; remove one");
            }
        }
        return values;
    }

    private @Nullable Expression expression(String property, String text) {
        ExpressionScope scope = new ExpressionScope("the call", MethodCall.PROPERTIES, parameters.keySet(), Map.of());
        return checked(property, () -> Optional.of(expressions.parse(text, scope)), Optional.<Expression>empty())
                .orElse(null);
    }

    private @Nullable FallbackMethod fallback(LimitSpec spec) {
        return spec.fallbackMethod().isEmpty()
                ? null
                : checked(
                                spec.annotation() + ".fallbackMethod",
                                () -> Optional.of(FallbackMethod.find(
                                        placeholders.apply(spec.fallbackMethod()),
                                        method,
                                        type,
                                        spec.inFlight()
                                                ? InFlightExceededException.class
                                                : LimitExceededException.class)),
                                Optional.<FallbackMethod>empty())
                        .orElse(null);
    }

    private static Duration duration(String text) {
        if (text.isEmpty() || Character.isDigit(text.charAt(text.length() - 1))) {
            throw new IllegalArgumentException("must be a duration with its unit, such as 2s, but was " + text);
        }
        Duration duration;
        try {
            duration = DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("must be a duration such as 2s, but was " + text, e);
        }
        if (duration.isNegative() || duration.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("must be from 0s to 366d, but was " + text);
        }
        return duration;
    }

    private String text(String property, String text) {
        return checked(property, () -> placeholders.apply(text), text);
    }

    private void problem(String property, String problem) {
        problems.accept(name(method, type) + ": " + property + ": " + problem);
    }

    /** Returns a part of an annotation; if it has a problem, notes the problem and returns a placeholder. */
    private <T> T checked(String property, Supplier<T> part, T placeholder) {
        try {
            return part.get();
        } catch (IllegalArgumentException e) {
            problem(property, String.valueOf(e.getMessage()));
            return placeholder;
        }
    }
}
