package io.headgate.spring.queues.internal;

import io.headgate.queues.DeadLetter;
import io.headgate.queues.Job;
import io.headgate.spring.queues.BatchJob;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Lets a native image call the listeners of a bean, and convert their payloads. */
final class ListenerHints implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
        Set<Type> payloads = new LinkedHashSet<>();
        boolean found = false;
        for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
            if (!ListenerAnnotation.of(method).isEmpty()) {
                found = true;
                for (int i = 0; i < method.getParameterCount(); i++) {
                    payload(new MethodParameter(method, i).withContainingClass(type), payloads);
                }
            }
        }
        return !found
                ? null
                : (generation, code) -> {
                    var hints = generation.getRuntimeHints().reflection();
                    hints.registerType(type, MemberCategory.INVOKE_DECLARED_METHODS);
                    new BindingReflectionHintsRegistrar().registerReflectionHints(hints, payloads.toArray(new Type[0]));
                };
    }

    private static void payload(MethodParameter parameter, Set<Type> payloads) {
        ResolvableType type = ResolvableType.forMethodParameter(parameter);
        if (ArgumentCompiler.isPayload(parameter)) {
            Class<?> element = ArgumentCompiler.elementOf(parameter).resolve();
            boolean jobs = element == Job.class || element == BatchJob.class;
            payloads.add((jobs ? ArgumentCompiler.elementOf(parameter).getGeneric(0) : type).getType());
        } else if ((parameter.getParameterType() == Job.class || parameter.getParameterType() == DeadLetter.class)
                && type.getGeneric(0).resolve() != null) {
            payloads.add(type.getGeneric(0).getType());
        }
    }
}
