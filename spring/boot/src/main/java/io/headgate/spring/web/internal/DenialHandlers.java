package io.headgate.spring.web.internal;

import io.headgate.spring.web.InFlightExceededException;
import io.headgate.spring.web.LimitExceededException;
import io.headgate.spring.web.RejectedRequestException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

/**
 * Finds out whether an application handles denied requests by an {@code @ExceptionHandler} of its own. A handler of all exceptions does not
 * count: it would answer with status 500. Safe for use by any number of threads.
 */
public final class DenialHandlers {

    private final ApplicationContext context;
    private final Map<Case, Boolean> handled = new ConcurrentHashMap<>();

    /** An advice that is not of the application, and does not count. */
    public interface Default {}

    /** An exception, and the controller whose method threw it; null if it is of no controller. */
    private record Case(
            Class<? extends ErrorResponseException> exception,
            @Nullable Class<?> controller) {}

    /**
     * Returns the denial that an exception is or has as its cause, as filters that repeat requests wrap it. Empty if it is neither.
     */
    public static Optional<ErrorResponseException> denial(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return isDenial(thrown)
                ? Optional.of((ErrorResponseException) thrown)
                : cause != null && isDenial(cause) ? Optional.of((ErrorResponseException) cause) : Optional.empty();
    }

    private static boolean isDenial(Throwable thrown) {
        return thrown instanceof LimitExceededException
                || thrown instanceof InFlightExceededException
                || thrown instanceof RejectedRequestException;
    }

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
        return handle(exception, null);
    }

    /**
     * Returns whether the handler that Spring would choose is one of this exception, of error responses, or of the controller itself.
     *
     * @param exception of a denied call
     * @param controller the class of the controller that handles the request; null if there is none
     */
    public boolean handle(ErrorResponseException exception, @Nullable Class<?> controller) {
        return handled.computeIfAbsent(new Case(exception.getClass(), controller), this::isHandled);
    }

    /** Returns whether any advice has a handler of this exception or of error responses, and not one of all exceptions. */
    public boolean areInAdvice(Class<? extends ErrorResponseException> exception) {
        for (String name : context.getBeanNamesForAnnotation(ControllerAdvice.class)) {
            Class<?> bean = context.getType(name);
            Method handler = bean == null || Default.class.isAssignableFrom(bean)
                    ? null
                    : new ExceptionHandlerMethodResolver(ClassUtils.getUserClass(bean))
                            .resolveMethodByExceptionType(exception);
            if (handler != null && isFor(handler, exception)) {
                return true;
            }
        }
        return false;
    }

    private boolean isHandled(Case thrown) {
        if (thrown.controller != null
                && new ExceptionHandlerMethodResolver(thrown.controller).resolveMethodByExceptionType(thrown.exception)
                        != null) {
            return true;
        }
        for (ControllerAdviceBean advice : ControllerAdviceBean.findAnnotatedBeans(context)) {
            Class<?> bean = advice.getBeanType();
            if (bean != null
                    && !Default.class.isAssignableFrom(bean)
                    && advice.isApplicableToBeanType(thrown.controller)) {
                Method handler =
                        new ExceptionHandlerMethodResolver(bean).resolveMethodByExceptionType(thrown.exception);
                if (handler != null) {
                    return isFor(handler, thrown.exception);
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
