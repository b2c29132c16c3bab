package io.headgate.spring.outgoing;

import java.net.URI;
import java.util.Locale;
import org.springframework.http.HttpHeaders;

/**
 * An HTTP call before it is sent: the root object of expressions of {@code headgate.outgoing}.
 *
 * @param method the method, such as {@code GET}
 * @param uri the address
 * @param headers the header fields so far
 */
public record OutgoingCall(String method, URI uri, HttpHeaders headers) {

    /** Returns the host of the address, in lower case; empty if it has none. */
    public String host() {
        String host = uri.getHost();
        if (host == null) {
            // A name such as my_service, which Java does not accept as that of a host.
            String authority = uri.getRawAuthority() == null ? "" : uri.getRawAuthority();
            host = authority.substring(authority.lastIndexOf('@') + 1).replaceFirst(":[0-9]*$", "");
        }
        return (host.endsWith(".") ? host.substring(0, host.length() - 1) : host).toLowerCase(Locale.ROOT);
    }

    /** Returns the path of the address as it is sent; {@code /} if it has none. */
    public String path() {
        String path = uri.getRawPath();
        return path == null || path.isEmpty() ? "/" : path;
    }
}
