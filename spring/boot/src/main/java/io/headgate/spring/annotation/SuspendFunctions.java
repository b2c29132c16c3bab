package io.headgate.spring.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.util.ClassUtils;

/**
 * Suspend functions of Kotlin. The last parameter of such a method is a continuation. Spring's proxies convert calls: for an interceptor,
 * the method returns a publisher, and the proxy resumes the continuation with the publisher that the interceptor returns.
 */
final class SuspendFunctions {

    private static final String FLOW = "kotlinx.coroutines.flow.Flow";

    private SuspendFunctions() {}

    /** Returns whether there are the libraries with which Spring's proxies convert calls. */
    static boolean isSupported(@Nullable ClassLoader loader) {
        return ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", loader)
                && ClassUtils.isPresent("kotlin.reflect.full.KClasses", loader);
    }

    static boolean isSuspendFunction(Method method) {
        return KotlinDetector.isSuspendingFunction(method);
    }

    /** Returns the types of the parameters of any method, without a continuation. */
    static List<Class<?>> parameterTypes(Method method) {
        List<Class<?>> all = Arrays.asList(method.getParameterTypes());
        return isSuspendFunction(method) ? all.subList(0, all.size() - 1) : all;
    }

    /** Returns the type that any method declares to return. */
    static Class<?> returnType(Method method) {
        return isSuspendFunction(method) ? new MethodParameter(method, -1).getParameterType() : method.getReturnType();
    }

    static boolean returnsFlow(Method method) {
        return returnType(method).getName().equals(FLOW);
    }
}
