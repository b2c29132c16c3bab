package io.headgate.spring.annotation;

import io.headgate.spring.internal.Problems;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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
 */
final class StartupCheck implements SmartInitializingSingleton {

    private static final Log LOG = LogFactory.getLog(StartupCheck.class);

    private final LimitAnnotations annotations;
    private final LimitedMethods methods;
    private final ConfigurableListableBeanFactory beans;

    StartupCheck(LimitAnnotations annotations, LimitedMethods methods, ConfigurableListableBeanFactory beans) {
        this.annotations = annotations;
        this.methods = methods;
        this.beans = beans;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Problems problems = new Problems();
        for (Class<?> type : types()) {
            MethodIntrospector.selectMethods(
                            type,
                            (Method method) -> annotations.of(method, type).isEmpty() ? null : Boolean.TRUE)
                    .keySet()
                    .forEach(method -> check(method, type, problems));
        }
        problems.failIfAny();
    }

    /** The classes of all beans. */
    private Set<Class<?>> types() {
        Set<Class<?>> types = new LinkedHashSet<>();
        for (String name : beans.getBeanNamesForType(Object.class)) {
            Class<?> type = type(name);
            if (type != null && !type.getName().startsWith("org.springframework.")) {
                types.add(ClassUtils.getUserClass(type));
            }
        }
        return types;
    }

    private @Nullable Class<?> type(String bean) {
        try {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
            // The object in the scope is a bean of its own.
            return type == null || ScopedObject.class.isAssignableFrom(type) ? null : type;
        } catch (RuntimeException | LinkageError e) {
            LOG.debug("The class of the bean " + bean + " is unknown", e);
            return null;
        }
    }

    private void check(Method method, Class<?> type, Problems problems) {
        String obstacle = obstacle(method, type);
        if (obstacle != null) {
            LOG.warn("The limits of " + MethodCompiler.name(method, type) + " have no effect, because " + obstacle);
        }
        problems.collect(() -> methods.find(method, type));
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
