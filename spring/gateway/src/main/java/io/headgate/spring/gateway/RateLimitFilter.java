package io.headgate.spring.gateway;

import io.headgate.config.ConfigException;
import io.headgate.spring.web.MatchedPath;
import io.headgate.spring.web.WebProperties;
import io.headgate.spring.web.servlet.RequestLimit;
import io.headgate.spring.web.servlet.RequestLimits;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.server.mvc.common.MvcUtils;
import org.springframework.cloud.gateway.server.mvc.handler.GatewayServerResponse;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.util.MultiValueMap;
import org.springframework.web.ErrorResponse;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.function.HandlerFilterFunction;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.util.pattern.PathPattern;

/** A filter of a route on WebMVC. The gateway creates it without beans, so it compiles its limit at the first request. */
final class RateLimitFilter implements HandlerFilterFunction<ServerResponse, ServerResponse> {

    private static final Log LOG = LogFactory.getLog(RateLimitFilter.class);
    private static final int SERVER_ERROR = 500;

    private final Function<String, WebProperties.Route> settings;
    private volatile @Nullable Compiled compiled;

    /**
     * The limit in an application.
     *
     * @param active whether Headgate is active
     * @param limit the limit; empty if the settings are wrong
     */
    private record Compiled(ApplicationContext application, boolean active, Optional<RequestLimit> limit) {}

    /**
     * Creates a filter.
     *
     * @param settings returns the settings for the name of the filter; throws a {@link ConfigException} if they are wrong
     */
    RateLimitFilter(Function<String, WebProperties.Route> settings) {
        this.settings = settings;
    }

    @Override
    public ServerResponse filter(ServerRequest request, HandlerFunction<ServerResponse> next) throws Exception {
        Compiled here = compiled(request);
        if (!here.active) {
            return next.handle(request);
        }
        RequestLimit limit = here.limit.orElseThrow(RejectedRoute::exception);
        RequestLimit.Admission admission = limit.admit(request.servletRequest(), matchedPath(request));
        ServerResponse response;
        try {
            response = next.handle(request);
        } catch (Exception e) {
            admission.completed(
                    e instanceof ErrorResponse error ? error.getStatusCode().value() : SERVER_ERROR);
            throw e;
        }
        admission.completed(response.statusCode().value());
        return withFields(response, admission.fields());
    }

    private static ServerResponse withFields(ServerResponse response, Map<String, String> fields) {
        if (response instanceof GatewayServerResponse) {
            // The fields of an upstream; to add a field to the response later would not replace them.
            fields.forEach(response.headers()::set);
            return response;
        }
        return fields.isEmpty() ? response : new ResponseWithFields(response, fields);
    }

    /** A response of the application's own, whose header fields can't be changed. Its own fields take precedence. */
    private record ResponseWithFields(ServerResponse response, Map<String, String> fields) implements ServerResponse {

        @Override
        public HttpStatusCode statusCode() {
            return response.statusCode();
        }

        /** Spring 7 does not have it any more. */
        @Deprecated
        @Override
        @SuppressWarnings({"deprecation", "removal"})
        public int rawStatusCode() {
            return response.statusCode().value();
        }

        @Override
        public HttpHeaders headers() {
            return response.headers();
        }

        @Override
        public MultiValueMap<String, Cookie> cookies() {
            return response.cookies();
        }

        @Override
        public @Nullable ModelAndView writeTo(HttpServletRequest request, HttpServletResponse to, Context context)
                throws ServletException, IOException {
            fields.forEach((name, value) -> {
                if (headers().getFirst(name) == null) {
                    to.setHeader(name, value);
                }
            });
            return response.writeTo(request, to, context);
        }
    }

    private Compiled compiled(ServerRequest request) {
        ApplicationContext application = MvcUtils.getApplicationContext(request);
        Compiled known = compiled;
        if (known == null || known.application != application) {
            RequestLimits limits =
                    application.getBeanProvider(RequestLimits.class).getIfAvailable();
            known = limits == null
                    ? new Compiled(application, false, Optional.empty())
                    : new Compiled(application, true, compile(limits, request));
            compiled = known;
        }
        return known;
    }

    private Optional<RequestLimit> compile(RequestLimits limits, ServerRequest request) {
        String name = FilterArguments.nameIn(
                String.valueOf(request.attributes().getOrDefault(MvcUtils.GATEWAY_ROUTE_ID_ATTR, "in Java")));
        try {
            return Optional.of(limits.compile(name, settings.apply(name)));
        } catch (ConfigException e) {
            LOG.error("The requests of a route are rejected, because its filter is wrong. " + e.getMessage());
            return Optional.empty();
        }
    }

    private static MatchedPath matchedPath(ServerRequest request) {
        Object pattern = request.attributes().get(RouterFunctions.MATCHING_PATTERN_ATTRIBUTE);
        return new MatchedPath(
                pattern instanceof PathPattern matched ? matched.getPatternString() : "", request.pathVariables());
    }
}
