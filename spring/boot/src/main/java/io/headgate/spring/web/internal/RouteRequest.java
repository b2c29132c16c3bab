package io.headgate.spring.web.internal;

import io.headgate.http.attributes.ClientAddress;
import io.headgate.http.attributes.RequestView;
import io.headgate.spring.internal.FailureLog;
import io.headgate.spring.internal.expression.Expression;
import java.net.InetAddress;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;

/**
 * A request and the route that it matches: the root of the route's expressions, and what its values are resolved from. Used by one thread
 * at a time.
 */
final class RouteRequest implements RequestView {

    private final WebRequest request;
    private final FailureLog failures;
    private final @Nullable PathPattern pattern;
    private final PathContainer path;
    private final ClientAddress clients;
    private @Nullable Map<String, String> variables;
    private Optional<String> clientAddress = Optional.empty();
    private boolean clientAddressIsKnown;

    /**
     * Creates a request of a route.
     *
     * @param pattern the pattern that matched; null if the route matches all paths
     * @param path the form of the path that matched
     */
    RouteRequest(
            WebRequest request,
            FailureLog failures,
            @Nullable PathPattern pattern,
            PathContainer path,
            ClientAddress clients) {
        this.request = request;
        this.failures = failures;
        this.pattern = pattern;
        this.path = path;
        this.clients = clients;
    }

    /** The log of the route. */
    FailureLog failures() {
        return failures;
    }

    Optional<Principal> principal() {
        return request.principal();
    }

    /** Evaluates an expression for this request, as {@link Expression#evaluate(Object)}. */
    CompletableFuture<Optional<Object>> evaluate(Expression expression) {
        return expression.evaluate(this, request.conversion());
    }

    /** The text of the pattern that matched the path. */
    String pathPattern() {
        String text = pattern == null ? request.matchedPath().pattern() : pattern.getPatternString();
        return text.isEmpty() ? "/**" : text;
    }

    /** The decoded path without the context path and parameters, as {@link RoutePaths#counted}. */
    String countedPath(boolean ignoreCase) {
        return RoutePaths.counted(path, ignoreCase);
    }

    /** The decoded variables of the pattern; empty if it has none. */
    Map<String, String> pathVariables() {
        Map<String, String> found = variables;
        if (found == null) {
            found = pattern == null ? request.matchedPath().variables() : variables(pattern, path);
            variables = found;
        }
        return found;
    }

    private static Map<String, String> variables(PathPattern pattern, PathContainer path) {
        PathPattern.PathMatchInfo match = pattern.matchAndExtract(path);
        return match == null ? Map.of() : match.getUriVariables();
    }

    /** The client's address as text to count by. */
    Optional<String> clientAddress() {
        if (!clientAddressIsKnown) {
            clientAddress = clients.text(request);
            clientAddressIsKnown = true;
        }
        return clientAddress;
    }

    @Override
    public String method() {
        return request.method();
    }

    @Override
    public String path() {
        return request.path();
    }

    @Override
    public Optional<String> query() {
        return request.query();
    }

    @Override
    public List<String> headers(String name) {
        return request.headers(name);
    }

    @Override
    public Optional<InetAddress> peerAddress() {
        return request.peerAddress();
    }

    @Override
    public Optional<String> attribute(String name) {
        return request.attribute(name);
    }
}
