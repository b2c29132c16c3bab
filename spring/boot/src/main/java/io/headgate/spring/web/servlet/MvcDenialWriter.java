package io.headgate.spring.web.servlet;

import io.headgate.spring.web.internal.DenialHandlers;
import io.headgate.spring.web.internal.RouteDecision.Denied;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;

/**
 * Writes denied responses by Spring MVC: by the application's own handler of the exception, or by the default one, with the application's
 * message converters. The beans of the application are looked up at the first denied request, as a lookup may cost more than all the rest.
 */
final class MvcDenialWriter extends DenialWriter {

    private final DenialHandlers handlers;
    private final Supplier<List<ExceptionHandlerExceptionResolver>> resolvers;
    private final Supplier<List<ViewResolver>> views;

    MvcDenialWriter(CorsFields cors, ApplicationContext context) {
        super(cors);
        this.handlers = new DenialHandlers(context);
        this.resolvers = SingletonSupplier.of(() -> resolvers(context));
        this.views = SingletonSupplier.of(() -> ordered(context, ViewResolver.class));
    }

    /** The handler of denied requests that no handler of the application handles. */
    static final class DefaultHandler {

        /** Stands for the method of a controller, beside which Spring MVC looks for handlers of exceptions. */
        @ResponseBody
        public void denied() {}

        /** Returns the response of an exception. */
        @ExceptionHandler
        public ResponseEntity<ProblemDetail> handle(ErrorResponseException e) {
            return ResponseEntity.status(e.getStatusCode())
                    .headers(e.getHeaders())
                    .body(e.getBody());
        }
    }

    @Override
    boolean writeByApplication(Denied denied, HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        ErrorResponseException exception = denied.exception();
        return (handlers.handle(exception) && resolve(request, response, null, exception))
                || resolve(request, response, defaultHandler(), exception);
    }

    /**
     * Writes the response of a call that was denied while its request was handled; returns false if it could not, or the application has a
     * handler of the exception.
     *
     * @param controller the class of the controller that handles the request; null if there is none
     */
    boolean writeCall(
            ErrorResponseException denial,
            @Nullable Class<?> controller,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException, ServletException {
        if (handlers.handle(denial, controller)) {
            return false;
        }
        List<String> fields = new ArrayList<>();
        denial.getHeaders().forEach((name, values) -> {
            fields.add(name);
            // Replaces the fields of a route that admitted the request.
            values.forEach(value -> response.setHeader(name, value));
        });
        expose(fields, request, response);
        return resolve(
                request,
                response,
                defaultHandler(),
                new ErrorResponseException(denial.getStatusCode(), denial.getBody(), null));
    }

    private static HandlerMethod defaultHandler() {
        try {
            return new HandlerMethod(new DefaultHandler(), "denied");
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean resolve(
            HttpServletRequest request,
            HttpServletResponse response,
            @Nullable HandlerMethod handler,
            ErrorResponseException exception)
            throws IOException, ServletException {
        for (ExceptionHandlerExceptionResolver resolver : resolvers.get()) {
            ModelAndView result = resolver.resolveException(request, response, handler, exception);
            if (result != null) {
                render(result, request, response);
                return true;
            }
        }
        return false;
    }

    private static List<ExceptionHandlerExceptionResolver> resolvers(ApplicationContext context) {
        return ordered(context, HandlerExceptionResolver.class).stream()
                .flatMap(resolver -> resolver instanceof HandlerExceptionResolverComposite composite
                        ? composite.getExceptionResolvers().stream()
                        : Stream.of(resolver))
                .filter(ExceptionHandlerExceptionResolver.class::isInstance)
                .map(ExceptionHandlerExceptionResolver.class::cast)
                .toList();
    }

    /** Returns the beans of a type, in their order. */
    static <T> List<T> ordered(ApplicationContext context, Class<T> type) {
        return BeanFactoryUtils.beansOfTypeIncludingAncestors(context, type, true, false).values().stream()
                .sorted(AnnotationAwareOrderComparator.INSTANCE)
                .toList();
    }

    /** Renders the view of a handler that returns one. */
    private void render(ModelAndView result, HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        HttpStatusCode status = result.getStatus();
        if (status != null) {
            response.setStatus(status.value());
        }
        if (result.isEmpty()) {
            return;
        }
        try {
            View view = result.getView();
            String name = result.getViewName();
            for (ViewResolver resolver : views.get()) {
                view = view == null && name != null ? resolver.resolveViewName(name, request.getLocale()) : view;
            }
            if (view == null) {
                throw new ServletException("there is no view " + name);
            }
            view.render(result.getModel(), request, response);
        } catch (IOException | ServletException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ServletException("the view of a denied request failed", e);
        }
    }
}
