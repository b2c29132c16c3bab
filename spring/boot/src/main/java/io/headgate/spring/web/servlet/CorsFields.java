package io.headgate.spring.web.servlet;

import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.filter.CorsFilter;

/**
 * Gives a denied response the CORS fields that the application configures for its path, as pages of other origins can't read it
 * otherwise. A filter of the application that writes them may be behind the filter that denies.
 */
final class CorsFields {

    private final Supplier<List<CorsFilter>> filters;
    private final Supplier<List<CorsConfigurationSource>> sources;

    /**
     * Creates an instance.
     *
     * @param filters the application's filters for CORS
     * @param sources its other configurations, of which the first that has one for a request applies
     */
    CorsFields(Supplier<List<CorsFilter>> filters, Supplier<List<CorsConfigurationSource>> sources) {
        this.filters = filters;
        this.sources = sources;
    }

    /**
     * Adds the fields to a response, if the request is of another origin that the application allows.
     *
     * @param exposed the names of the fields that a page may read
     */
    void write(HttpServletRequest request, HttpServletResponse response, Collection<String> exposed)
            throws IOException, ServletException {
        if (!CorsUtils.isCorsRequest(request)) {
            return;
        }
        for (CorsFilter filter : filters.get()) {
            if (!isAllowed(response)) {
                filter.doFilter(request, new OnlyFields(response), (ignored, alsoIgnored) -> {});
            }
        }
        for (CorsConfigurationSource source : sources.get()) {
            CorsConfiguration found = isAllowed(response) ? null : source.getCorsConfiguration(request);
            if (found != null) {
                write(found, request, response);
                break;
            }
        }
        if (isAllowed(response) && !exposed.isEmpty()) {
            response.addHeader(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, String.join(", ", exposed));
        }
    }

    private static boolean isAllowed(HttpServletResponse response) {
        return response.getHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN) != null;
    }

    private static void write(CorsConfiguration found, HttpServletRequest request, HttpServletResponse response) {
        response.addHeader(HttpHeaders.VARY, HttpHeaders.ORIGIN);
        String origin = found.checkOrigin(request.getHeader(HttpHeaders.ORIGIN));
        if (origin == null) {
            return;
        }
        response.setHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        if (Boolean.TRUE.equals(found.getAllowCredentials())) {
            response.setHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_CREDENTIALS, "true");
        }
        List<String> exposed = found.getExposedHeaders();
        if (exposed != null && !exposed.isEmpty()) {
            response.addHeader(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, String.join(", ", exposed));
        }
    }

    /** A response of which a filter can set the fields only: if it rejects the origin, the request is still denied by its limit. */
    private static final class OnlyFields extends HttpServletResponseWrapper {

        OnlyFields(HttpServletResponse response) {
            super(response);
        }

        @Override
        public void setStatus(int status) {}

        @Override
        public void sendError(int status) {}

        @Override
        public void sendError(int status, @Nullable String message) {}

        @Override
        public void flushBuffer() {}

        @Override
        public PrintWriter getWriter() {
            return new PrintWriter(Writer.nullWriter());
        }

        @Override
        public ServletOutputStream getOutputStream() {
            return new ServletOutputStream() {
                @Override
                public boolean isReady() {
                    return true;
                }

                @Override
                public void setWriteListener(WriteListener listener) {}

                @Override
                public void write(int b) {}
            };
        }
    }
}
