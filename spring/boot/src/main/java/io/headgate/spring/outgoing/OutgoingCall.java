package io.headgate.spring.outgoing;

import java.net.URI;
import java.util.Locale;
import org.springframework.http.HttpHeaders;

/**
 * An HTTP call before it is sent, as expressions of {@code headgate.outgoing} see it.
 *
 * @param method the method, such as {@code GET}
 * @param uri the address
 * @param headers the header fields so far
 */
public record OutgoingCall(String method, URI uri, HttpHeaders headers) {

    /** Returns the host of the address, in lower case; empty if it has none. */
    public String host() {
        String host = uri.getHost();
        return host == null ? "" : host.toLowerCase(Locale.ROOT);
    }

    /** Returns the path of the address as it is sent; {@code /} if it has none. */
    public String path() {
        String path = uri.getRawPath();
        return path == null || path.isEmpty() ? "/" : path;
    }
}
