package io.headgate.spring.annotation;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds the annotations that apply to a method. Reads annotations only, and no policies. Safe for use by any number of threads. */
final class LimitAnnotations {

    private final Map<MethodClassKey, List<LimitSpec>> found = new ConcurrentHashMap<>();

    /** Returns the annotations of a method of a class, in-flight limits first; empty if it is not limited. */
    List<LimitSpec> of(Method method, Class<?> targetClass) {
        return found.computeIfAbsent(
                new MethodClassKey(method, targetClass), key -> find(specific(method, targetClass), targetClass));
    }

    /** Returns the method that a call on an object of the class runs. */
    static Method specific(Method method, Class<?> targetClass) {
        return AopUtils.getMostSpecificMethod(method, ClassUtils.getUserClass(targetClass));
    }

    /** Returns whether the method excludes itself from the annotations of its class. */
    static boolean isExcluded(Method method) {
        return annotations(method).isPresent(NotLimited.class);
    }

    private static List<LimitSpec> find(Method method, Class<?> targetClass) {
        if (ReflectionUtils.isObjectMethod(method) || method.isSynthetic()) {
            return List.of();
        }
        List<LimitSpec> specs = new ArrayList<>(find(method, targetClass, InFlight.class, LimitSpec::of));
        specs.addAll(find(method, targetClass, RateLimited.class, LimitSpec::of));
        return List.copyOf(specs);
    }

    private static <A extends Annotation> List<LimitSpec> find(
            Method method, Class<?> targetClass, Class<A> type, Function<A, LimitSpec> spec) {
        List<LimitSpec> own = own(method, type, spec);
        boolean inherits = own.isEmpty()
                && !Modifier.isPrivate(method.getModifiers())
                && !Modifier.isStatic(method.getModifiers())
                && !isExcluded(method);
        return inherits ? own(ClassUtils.getUserClass(targetClass), type, spec) : own;
    }

    /** The annotations of an element, or else those of the nearest method that it overrides, or supertype. */
    private static <A extends Annotation> List<LimitSpec> own(
            AnnotatedElement element, Class<A> type, Function<A, LimitSpec> spec) {
        List<MergedAnnotation<A>> all = annotations(element).stream(type).toList();
        return all.stream()
                .filter(each -> each.getAggregateIndex() == all.get(0).getAggregateIndex())
                .map(each -> spec.apply(each.synthesize()))
                .toList();
    }

    private static MergedAnnotations annotations(AnnotatedElement element) {
        return MergedAnnotations.from(
                element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables());
    }
}
