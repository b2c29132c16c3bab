package io.headgate.spring.annotation;

import io.headgate.config.ConfigException;
import io.headgate.config.PolicyRegistry;
import io.headgate.spring.internal.expression.ExpressionParser;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;

/**
 * The compiled methods of the application. A method is compiled when the application starts, or at its first call if that is earlier. Safe
 * for use by any number of threads.
 */
final class LimitedMethods {

    private final LimitAnnotations annotations;
    private final PolicyRegistry registry;
    private final ConfigurableListableBeanFactory beans;
    private final UnaryOperator<Object> results;
    private final boolean suspendFunctions;
    private final Map<MethodClassKey, Optional<LimitedMethod>> compiled = new ConcurrentHashMap<>();

    /**
     * Creates an instance.
     *
     * @param beans the beans that expressions use, and the placeholders
     * @param results converts results of expressions, see {@link ExpressionParser}
     */
    LimitedMethods(
            LimitAnnotations annotations,
            PolicyRegistry registry,
            ConfigurableListableBeanFactory beans,
            UnaryOperator<Object> results) {
        this.annotations = annotations;
        this.registry = registry;
        this.beans = beans;
        this.results = results;
        this.suspendFunctions = SuspendFunctions.isSupported(beans.getBeanClassLoader());
    }

    /**
     * Returns the compiled method; null if it is not limited.
     *
     * @throws ConfigException if its annotations have problems, which is so only for an object that is no bean when the application starts
     */
    @Nullable
    LimitedMethod find(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        Optional<LimitedMethod> known = compiled.get(key);
        if (known == null) {
            List<String> problems = new ArrayList<>();
            known = compile(method, targetClass, problems::add);
            if (!problems.isEmpty()) {
                throw new ConfigException(problems);
            }
            Optional<LimitedMethod> first = compiled.putIfAbsent(key, known);
            known = first == null ? known : first;
        }
        return known.orElse(null);
    }

    /** Compiles a method, and reports its problems. */
    private Optional<LimitedMethod> compile(Method method, Class<?> targetClass, Consumer<String> problems) {
        List<LimitSpec> specs = annotations.of(method, targetClass);
        return specs.isEmpty()
                ? Optional.empty()
                : Optional.of(new MethodCompiler(
                                registry,
                                new ExpressionParser(beans, results),
                                this::resolve,
                                LimitAnnotations.specific(method, targetClass),
                                ClassUtils.getUserClass(targetClass),
                                suspendFunctions,
                                problems)
                        .compile(specs));
    }

    private String resolve(String text) {
        String resolved = beans.resolveEmbeddedValue(text);
        return resolved == null ? "" : resolved;
    }
}
