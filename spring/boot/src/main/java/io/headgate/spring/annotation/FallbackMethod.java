package io.headgate.spring.annotation;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method that answers denied calls of another method.
 *
 * @param takesException whether its last parameter is the exception
 */
record FallbackMethod(Method method, boolean takesException) {

    /**
     * Finds the fallback of a method.
     *
     * @param exception the type of the exception of a denied call
     * @throws IllegalArgumentException if there is none with the same parameters and a suitable result
     */
    static FallbackMethod find(String name, Method method, Class<?> type, Class<? extends Exception> exception) {
        List<Method> named = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(
                        type, candidate -> candidate.getName().equals(name) && !candidate.isBridge()))
                .toList();
        for (boolean takesException : List.of(true, false)) {
            for (Method candidate : named) {
                if (hasParameters(candidate, method, takesException ? List.of(exception) : List.of())) {
                    return checked(candidate, method, takesException);
                }
            }
        }
        throw new IllegalArgumentException(
                "is " + name + ", but " + type.getName() + " has no such method with the parameters "
                        + SuspendFunctions.parameterTypes(method).stream()
                                .map(Class::getSimpleName)
                                .toList()
                        + ", or these and a " + exception.getSimpleName());
    }

    private static boolean hasParameters(Method candidate, Method method, List<Class<?>> more) {
        List<Class<?>> needed = SuspendFunctions.parameterTypes(method);
        List<Class<?>> given = SuspendFunctions.parameterTypes(candidate);
        return SuspendFunctions.isSuspendFunction(candidate) == SuspendFunctions.isSuspendFunction(method)
                && given.size() == needed.size() + more.size()
                && given.subList(0, needed.size()).equals(needed)
                && (more.isEmpty() || given.get(needed.size()).isAssignableFrom(more.get(0)));
    }

    private static FallbackMethod checked(Method candidate, Method method, boolean takesException) {
        Class<?> needed = SuspendFunctions.returnType(method);
        Class<?> given = SuspendFunctions.returnType(candidate);
        if (!ClassUtils.isAssignable(needed, given)) {
            throw new IllegalArgumentException("is " + candidate.getName() + ", which must return a "
                    + needed.getSimpleName() + ", but returns a " + given.getSimpleName());
        }
        ReflectionUtils.makeAccessible(candidate);
        return new FallbackMethod(candidate, takesException);
    }

    /** Answers a denied call. Throws what the method throws. */
    @Nullable
    Object answer(Object target, @Nullable Object[] arguments, Exception denial) throws Throwable {
        List<@Nullable Object> all = new ArrayList<>(Arrays.asList(arguments));
        if (takesException) {
            // A continuation stays the last one.
            all.add(SuspendFunctions.parameterTypes(method).size() - 1, denial);
        }
        return AopUtils.invokeJoinpointUsingReflection(target, method, all.toArray());
    }
}
