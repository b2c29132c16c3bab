package io.headgate.spring.gateway;

import io.headgate.config.ConfigException;
import io.headgate.spring.web.MatchedPath;
import io.headgate.spring.web.WebProperties;
import io.headgate.spring.web.servlet.RequestLimit;
import io.headgate.spring.web.servlet.RequestLimits;
import java.util.Optional;
import java.util.function.Function;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.gateway.server.mvc.common.MvcUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.web.ErrorResponse;
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

    /** The limit in an application; empty if the settings are wrong. */
    private record Compiled(ApplicationContext application, Optional<RequestLimit> limit) {}

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
        RequestLimit limit = limit(request).orElseThrow(RejectedRoute::exception);
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
        HttpHeaders headers = response.headers();
        admission.fields().forEach(headers::set);
        return response;
    }

    private Optional<RequestLimit> limit(ServerRequest request) {
        ApplicationContext application = MvcUtils.getApplicationContext(request);
        Compiled known = compiled;
        if (known == null || known.application != application) {
            known = new Compiled(application, compile(application, request));
            compiled = known;
        }
        return known.limit;
    }

    private Optional<RequestLimit> compile(ApplicationContext application, ServerRequest request) {
        String name = FilterArguments.nameIn(
                String.valueOf(request.attributes().getOrDefault(MvcUtils.GATEWAY_ROUTE_ID_ATTR, "in Java")));
        try {
            return Optional.of(application.getBean(RequestLimits.class).compile(name, settings.apply(name)));
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
