package io.headgate.spring.web.internal;

import io.headgate.http.attributes.ClientAddress;
import io.headgate.spring.internal.FailureLog;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * The conditions of a route. A field or parameter that a request has several times matches if one of its values does: otherwise, a client
 * could evade the route.
 *
 * @param patterns the patterns of paths; empty for all paths
 * @param methods the methods; empty for all methods
 * @param headers the required fields, with their values
 * @param query the required parameters, with their values
 * @param when the required condition; null if there is none
 */
record RouteConditions(
        List<PathPattern> patterns,
        Set<String> methods,
        Map<String, String> headers,
        Map<String, String> query,
        @Nullable Predicate<RouteRequest> when) {

    private static final String ANY = "*";

    /**
     * Returns the request of a route that matches; null if it does not match.
     *
     * @param path the form of the request's path by which it is matched. It may end with a slash that the patterns do not have
     * @param limits whether the route applies if its condition {@code when} fails
     */
    @Nullable
    RouteRequest match(
            WebRequest request, PathContainer path, FailureLog failures, boolean limits, ClientAddress clients) {
        if (!methods.isEmpty() && !methods.contains(request.method())) {
            return null;
        }
        RouteRequest matched = atPath(request, path, failures, clients);
        if (matched == null || !hasHeaders(request) || !hasQuery(request)) {
            return null;
        }
        return when == null || isTrue(when, matched, limits) ? matched : null;
    }

    private @Nullable RouteRequest atPath(
            WebRequest request, PathContainer path, FailureLog failures, ClientAddress clients) {
        if (patterns.isEmpty()) {
            return new RouteRequest(request, failures, null, path, clients);
        }
        PathContainer shorter = RoutePaths.withoutTrailingSlash(path);
        for (PathPattern pattern : patterns) {
            if (pattern.matches(path)) {
                return new RouteRequest(request, failures, pattern, path, clients);
            }
            if (shorter != path && pattern.matches(shorter)) {
                return new RouteRequest(request, failures, pattern, shorter, clients);
            }
        }
        return null;
    }

    private static boolean isTrue(Predicate<RouteRequest> when, RouteRequest request, boolean limits) {
        try {
            return when.test(request);
        } catch (RuntimeException e) {
            // A client that can make the expression fail must evade no limit.
            request.failures().failed(".when", limits ? "the route applies" : "the route does not apply", e);
            return limits;
        }
    }

    private boolean hasHeaders(WebRequest request) {
        for (Map.Entry<String, String> header : headers.entrySet()) {
            List<String> values = request.headers(header.getKey());
            if (values.isEmpty() || !(header.getValue().equals(ANY) || values.contains(header.getValue()))) {
                return false;
            }
        }
        return true;
    }

    private boolean hasQuery(WebRequest request) {
        if (query.isEmpty()) {
            return true;
        }
        Optional<String> text = request.query();
        return text.isPresent()
                && query.entrySet().stream()
                        .allMatch(parameter -> hasParameter(text.get(), parameter.getKey(), parameter.getValue()));
    }

    private static boolean hasParameter(String query, String name, String value) {
        for (String parameter : query.split("&")) {
            int equals = parameter.indexOf('=');
            String itsName = equals < 0 ? parameter : parameter.substring(0, equals);
            if (decoded(itsName).equals(name)
                    && (value.equals(ANY)
                            || decoded(parameter.substring(itsName.length() + (equals < 0 ? 0 : 1)))
                                    .equals(value))) {
                return true;
            }
        }
        return false;
    }

    /** Returns the decoded text; the text itself if an escape is malformed. */
    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }
}
