package io.headgate.spring.web;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

/**
 * Finds out whether an application handles denied requests by an {@code @ExceptionHandler} of its own. A handler of all exceptions does not
 * count: it would answer with status 500. Safe for use by any number of threads.
 */
public final class DenialHandlers {

    private final ApplicationContext context;
    private final Map<Class<? extends ErrorResponseException>, Boolean> handled = new ConcurrentHashMap<>();

    /** Creates an instance for an application, whose beans are looked up at the first denied request. */
    public DenialHandlers(ApplicationContext context) {
        this.context = context;
    }

    /**
     * Returns whether the handler that Spring would choose is one of this exception, or of error responses.
     *
     * @param exception of a denied request
     */
    public boolean handle(ErrorResponseException exception) {
        return handled.computeIfAbsent(exception.getClass(), this::isHandled);
    }

    private boolean isHandled(Class<? extends ErrorResponseException> type) {
        for (ControllerAdviceBean advice : ControllerAdviceBean.findAnnotatedBeans(context)) {
            Class<?> bean = advice.getBeanType();
            if (bean != null && advice.isApplicableToBeanType(null)) {
                Method handler = new ExceptionHandlerMethodResolver(bean).resolveMethodByExceptionType(type);
                if (handler != null) {
                    return isFor(handler, type);
                }
            }
        }
        return false;
    }

    private static boolean isFor(Method handler, Class<? extends ErrorResponseException> type) {
        ExceptionHandler mapped = AnnotatedElementUtils.findMergedAnnotation(handler, ExceptionHandler.class);
        Class<?>[] types = mapped == null || mapped.value().length == 0 ? handler.getParameterTypes() : mapped.value();
        return Arrays.stream(types)
                .anyMatch(handled ->
                        ErrorResponseException.class.isAssignableFrom(handled) && handled.isAssignableFrom(type));
    }
}
