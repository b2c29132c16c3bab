package io.headgate.spring.web.internal;

import io.headgate.http.attributes.RequestView;
import io.headgate.spring.web.MatchedPath;
import java.security.Principal;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/** A request of a web application, as routes see it. There is one implementation for servlets and one for WebFlux. */
public interface WebRequest extends RequestView {

    /**
     * Returns whether a header field is one in which proxies name the client. These fields, and the peer, are read below the filters of
     * Spring that replace the peer by the first entry of such a field, which the client may have sent.
     */
    static boolean isForwarding(String field) {
        return field.equalsIgnoreCase("X-Forwarded-For") || field.equalsIgnoreCase("Forwarded");
    }

    /** Returns the parsed path without the context path, by which routes are matched. */
    PathContainer pathWithinApplication();

    /**
     * Returns the path without the context path as the server resolves it to choose a handler: decoded, without parameters, dot segments
     * and repeated slashes. It is {@link #pathWithinApplication()} if the server does not resolve paths.
     */
    PathContainer resolvedPath();

    /**
     * Returns what the application's own route matched of the path. A route of {@code headgate.web.routes} uses its own patterns instead.
     */
    default MatchedPath matchedPath() {
        return MatchedPath.UNKNOWN;
    }

    /** Returns the authenticated user. Empty for an anonymous user, and before the request is authenticated. */
    Optional<Principal> principal();

    /** Returns what converts the results of expressions for this request; null if that of the routes does. */
    default @Nullable UnaryOperator<Object> conversion() {
        return null;
    }
}
