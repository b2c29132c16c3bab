package io.headgate.spring.web.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.RequestPath;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/** The CORS configuration of Spring MVC: that of the handler of a request, such as its {@code @CrossOrigin}, and the global one. */
final class MvcCors implements CorsConfigurationSource {

    private static final Log LOG = LogFactory.getLog(MvcCors.class);

    private final Supplier<List<HandlerMapping>> mappings;

    MvcCors(Supplier<List<HandlerMapping>> mappings) {
        this.mappings = mappings;
    }

    @Override
    public @Nullable CorsConfiguration getCorsConfiguration(HttpServletRequest request) {
        RequestPath previous = (RequestPath) request.getAttribute(ServletRequestPathUtils.PATH_ATTRIBUTE);
        ServletRequestPathUtils.parseAndCache(request);
        try {
            for (HandlerMapping mapping : mappings.get()) {
                HandlerExecutionChain handler = handler(mapping, request);
                if (handler != null) {
                    return configuration(handler, request);
                }
            }
            return null;
        } finally {
            ServletRequestPathUtils.setParsedRequestPath(previous, request);
        }
    }

    private static @Nullable HandlerExecutionChain handler(HandlerMapping mapping, HttpServletRequest request) {
        try {
            return mapping.getHandler(request);
        } catch (Exception e) {
            // The path exists, but not for this method or content type, so Spring MVC has no configuration either.
            LOG.debug("no handler for " + request.getMethod(), e);
            return null;
        }
    }

    private static @Nullable CorsConfiguration configuration(
            HandlerExecutionChain handler, HttpServletRequest request) {
        for (HandlerInterceptor interceptor : handler.getInterceptorList()) {
            if (interceptor instanceof CorsConfigurationSource source) {
                return source.getCorsConfiguration(request);
            }
        }
        return handler.getHandler() instanceof CorsConfigurationSource source
                ? source.getCorsConfiguration(request)
                : null;
    }
}
