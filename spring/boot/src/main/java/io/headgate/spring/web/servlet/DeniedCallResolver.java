package io.headgate.spring.web.servlet;

import io.headgate.spring.internal.FailureLog;
import io.headgate.spring.web.internal.DenialHandlers;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Answers requests in which a call of a method was denied, as those that a route denies. It is the first resolver, and leaves an exception to
 * the others if the application has a handler of it.
 */
final class DeniedCallResolver implements HandlerExceptionResolver, Ordered {

    private static final FailureLog FAILURES = new FailureLog("the response of a denied call");

    private final MvcDenialWriter writer;

    DeniedCallResolver(MvcDenialWriter writer) {
        this.writer = writer;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception thrown) {
        Optional<ErrorResponseException> denial = DenialHandlers.denial(thrown);
        if (denial.isEmpty()) {
            return null;
        }
        Class<?> controller = handler instanceof HandlerMethod method ? method.getBeanType() : null;
        try {
            return writer.writeCall(denial.get(), controller, request, response) ? new ModelAndView() : null;
        } catch (IOException | ServletException e) {
            FAILURES.failed("", "other handlers of exceptions answer", e);
            return null;
        }
    }
}
