package io.headgate.spring.web;

import io.headgate.http.attributes.ClientAddress;
import io.headgate.spring.expression.Expression;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
 * @param when the required expression; null if there is none
 */
record RouteConditions(
        List<PathPattern> patterns,
        Set<String> methods,
        Map<String, String> headers,
        Map<String, String> query,
        @Nullable Expression when) {

    private static final String ANY = "*";

    /** Returns the request of a route that matches; null if it does not match. */
    @Nullable
    RouteRequest match(WebRequest request, Route route, ClientAddress clients) {
        if (!methods.isEmpty() && !methods.contains(request.method())) {
            return null;
        }
        PathPattern pattern = null;
        if (!patterns.isEmpty()) {
            pattern = matching(request.pathWithinApplication());
            if (pattern == null) {
                return null;
            }
        }
        if (!hasHeaders(request) || !hasQuery(request)) {
            return null;
        }
        RouteRequest matched = new RouteRequest(request, route, pattern, clients);
        return when == null || isTrue(when, matched) ? matched : null;
    }

    private @Nullable PathPattern matching(PathContainer path) {
        for (int i = 0; i < patterns.size(); i++) {
            if (patterns.get(i).matches(path)) {
                return patterns.get(i);
            }
        }
        return null;
    }

    private static boolean isTrue(Expression when, RouteRequest request) {
        try {
            return when.test(request);
        } catch (RuntimeException e) {
            // A client that can make the expression fail must evade no limit.
            boolean limits = !request.route().policy().fixed().equals(Optional.of(""));
            request.route().failures().failed(".when", limits ? "the route applies" : "the route does not apply", e);
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
