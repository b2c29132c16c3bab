package io.headgate.http.attributes;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * A read-only view of an HTTP request for resolvers: its method, target, header fields and the address of its peer. There is one
 * implementation for each HTTP server, which reads the server's request lazily. There is no method for the body, so a resolver cannot
 * consume it.
 *
 * <p>No method throws an exception for a malformed request. A view is valid while its server handles the request; an {@link
 * AsyncValueResolver} must read what it needs before it returns.
 */
public interface RequestView {

    /** Returns the method as received, for example {@code GET}. Methods are case-sensitive. */
    String method();

    /** Returns the path as received: percent-encoded, without the query, for example {@code /orders/17}. */
    String path();

    /** Returns the query as received: percent-encoded, without the question mark; empty if there is none. */
    Optional<String> query();

    /**
     * Returns all values of a header field, in the order of the request; an empty list if there is none.
     *
     * @param name the name of the field, in any case
     */
    List<String> headers(String name);

    /** Returns the address of the peer of the connection; empty if it has none, as a Unix domain socket. Implementations never use DNS. */
    Optional<InetAddress> peerAddress();

    /**
     * Returns a value that the server has attached to the request, for example the authenticated user, the route, or a path variable of its
     * own router. By default, there is none.
     *
     * @param name a name that the server defines
     */
    default Optional<String> attribute(String name) {
        return Optional.empty();
    }
}
