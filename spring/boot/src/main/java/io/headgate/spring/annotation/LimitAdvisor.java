package io.headgate.spring.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Applies limits to the methods that have annotations. */
final class LimitAdvisor extends AbstractPointcutAdvisor {

    private static final long serialVersionUID = 1;

    /** After the authorization of Spring Security (up to 500), and before transactions and caches, which are last by default. */
    static final int ORDER = 1000;

    private final transient Pointcut pointcut;
    private final transient Advice advice;

    LimitAdvisor(LimitAnnotations annotations, LimitInterceptor interceptor) {
        this.pointcut = new Annotated(annotations);
        this.advice = interceptor;
        setOrder(ORDER);
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return advice;
    }

    private static final class Annotated extends StaticMethodMatcherPointcut {

        private final LimitAnnotations annotations;

        Annotated(LimitAnnotations annotations) {
            this.annotations = annotations;
            // A final class cannot have a proxy, and the start must not fail because of it. Spring's own beans have no
            // limits.
            setClassFilter(type -> !Modifier.isFinal(type.getModifiers())
                    && !type.getName().startsWith("org.springframework.")
                    && !type.getName().startsWith("java."));
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return !annotations.of(method, targetClass).isEmpty();
        }
    }
}
