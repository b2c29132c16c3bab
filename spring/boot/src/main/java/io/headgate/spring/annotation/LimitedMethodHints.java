package io.headgate.spring.annotation;

import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Lets a native image call what the annotations of a bean name: its fallback methods, and the properties of parameters in expressions. It does
 * not reach the properties of those properties.
 */
final class LimitedMethodHints implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
        LimitAnnotations annotations = new LimitAnnotations();
        Set<Class<?>> called = new LinkedHashSet<>();
        for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
            if (!annotations.of(method, type).isEmpty()) {
                called.add(type);
                SuspendFunctions.parameterTypes(method).stream()
                        .filter(parameter -> !ClassUtils.isPrimitiveOrWrapper(parameter))
                        .forEach(called::add);
            }
        }
        return called.isEmpty()
                ? null
                : (generation, code) -> called.forEach(each -> generation
                        .getRuntimeHints()
                        .reflection()
                        .registerType(each, MemberCategory.INVOKE_DECLARED_METHODS));
    }
}
