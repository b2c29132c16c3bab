package io.headgate.spring.annotation;

import io.headgate.config.PolicyRegistry;
import io.headgate.spring.internal.ConfigurationCheck;
import io.headgate.spring.internal.Problems;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ClassUtils;

/**
 * Compiles the methods of all beans when the application starts, and fails the start if there are problems. Warns about annotations that
 * have no effect.
 *
 * <p>Before the engine connects to Redis, it checks the beans whose classes are known although they were not created, which are nearly all.
 */
final class StartupCheck implements ConfigurationCheck, SmartInitializingSingleton {

    private static final Log LOG = LogFactory.getLog(StartupCheck.class);

    private final LimitAnnotations annotations;
    private final Function<PolicyRegistry, LimitedMethods> methodsOf;
    private final Supplier<LimitedMethods> methods;
    private final ConfigurableListableBeanFactory beans;

    /**
     * Creates a check.
     *
     * @param methodsOf returns methods for checks, with the policies of a registry
     * @param methods returns the methods of the application, when the engine exists
     */
    StartupCheck(
            LimitAnnotations annotations,
            Function<PolicyRegistry, LimitedMethods> methodsOf,
            Supplier<LimitedMethods> methods,
            ConfigurableListableBeanFactory beans) {
        this.annotations = annotations;
        this.methodsOf = methodsOf;
        this.methods = methods;
        this.beans = beans;
    }

    @Override
    public void check(PolicyRegistry registry) {
        LimitedMethods checked = methodsOf.apply(registry);
        // To find the class of another bean, the bean would be created, which may need the engine.
        check(
                types(beans.getBeanNamesForType(Object.class, true, false), name -> beans.getType(name, false)),
                checked::find);
    }

    @Override
    public void afterSingletonsInstantiated() {
        LimitedMethods checked = methods.get();
        check(types(beans.getBeanNamesForType(Object.class), this::targetClass), (method, type) -> {
            warn(method, type);
            checked.find(method, type);
        });
    }

    private void check(Set<Class<?>> types, BiConsumer<Method, Class<?>> check) {
        Problems problems = new Problems();
        for (Class<?> type : types) {
            MethodIntrospector.selectMethods(
                            type,
                            (Method method) -> annotations.of(method, type).isEmpty() ? null : Boolean.TRUE)
                    .keySet()
                    .forEach(method -> problems.collect(() -> check.accept(method, type)));
        }
        problems.failIfAny();
    }

    private static Set<Class<?>> types(String[] names, Function<String, @Nullable Class<?>> typeOf) {
        Set<Class<?>> types = new LinkedHashSet<>();
        for (String name : names) {
            Class<?> type = type(name, typeOf);
            if (type != null && !type.getName().startsWith("org.springframework.")) {
                types.add(ClassUtils.getUserClass(type));
            }
        }
        return types;
    }

    private @Nullable Class<?> targetClass(String bean) {
        return AutoProxyUtils.determineTargetClass(beans, bean);
    }

    private static @Nullable Class<?> type(String bean, Function<String, @Nullable Class<?>> typeOf) {
        try {
            Class<?> type = typeOf.apply(bean);
            // The object in the scope is a bean of its own.
            return type == null || ScopedObject.class.isAssignableFrom(type) ? null : type;
        } catch (RuntimeException | LinkageError e) {
            LOG.debug("The class of the bean " + bean + " is unknown", e);
            return null;
        }
    }

    private static void warn(Method method, Class<?> type) {
        String obstacle = obstacle(method, type);
        if (obstacle != null) {
            LOG.warn("The limits of " + MethodCompiler.name(method, type) + " have no effect, because " + obstacle);
        }
    }

    private static @Nullable String obstacle(Method method, Class<?> type) {
        int modifiers = method.getModifiers();
        List<String> kinds = new ArrayList<>();
        if (Modifier.isPrivate(modifiers)) {
            kinds.add("private");
        }
        if (Modifier.isStatic(modifiers)) {
            kinds.add("static");
        }
        if (Modifier.isFinal(modifiers)) {
            kinds.add("final");
        }
        if (!kinds.isEmpty()) {
            return "it is " + String.join(" and ", kinds);
        }
        return Modifier.isFinal(type.getModifiers()) ? "its class is final" : null;
    }
}
