package io.headgate.spring.web.servlet;

import io.headgate.http.attributes.ClientAddress;
import io.headgate.spring.web.MatchedPath;
import io.headgate.spring.web.internal.WebRequest;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.security.Principal;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;

/** A request of a servlet container. Never reads its parameters, as these could be in the body. */
final class ServletWebRequest implements WebRequest {

    private static final PathContainer.Options DECODED = PathContainer.Options.create('/', false);

    private final HttpServletRequest request;
    private final MatchedPath matched;
    private @Nullable PathContainer path;

    ServletWebRequest(HttpServletRequest request) {
        this(request, MatchedPath.UNKNOWN);
    }

    /** Creates a request of which a route of the application matched the path. */
    ServletWebRequest(HttpServletRequest request, MatchedPath matched) {
        this.request = request;
        this.matched = matched;
    }

    @Override
    public MatchedPath matchedPath() {
        return matched;
    }

    @Override
    public PathContainer pathWithinApplication() {
        PathContainer parsed = path;
        if (parsed == null) {
            parsed = parsed(request.getRequestURI(), request.getContextPath());
            path = parsed;
        }
        return parsed;
    }

    private static PathContainer parsed(String path, String contextPath) {
        try {
            return RequestPath.parse(path, contextPath).pathWithinApplication();
        } catch (IllegalArgumentException e) {
            // A strange spelling of the context path must not evade a limit.
            return PathContainer.parsePath(path.startsWith(contextPath) ? path.substring(contextPath.length()) : path);
        }
    }

    @Override
    public PathContainer resolvedPath() {
        String info = request.getPathInfo();
        String resolved = info == null ? request.getServletPath() : request.getServletPath() + info;
        PathContainer received = pathWithinApplication();
        return resolved.isEmpty() || resolved.equals(received.value())
                ? received
                : PathContainer.parsePath(resolved, DECODED);
    }

    @Override
    public Optional<Principal> principal() {
        return Optional.ofNullable(request.getUserPrincipal());
    }

    @Override
    public String method() {
        return request.getMethod();
    }

    @Override
    public String path() {
        return request.getRequestURI();
    }

    @Override
    public Optional<String> query() {
        return Optional.ofNullable(request.getQueryString());
    }

    @Override
    public List<String> headers(String name) {
        Enumeration<String> values = (WebRequest.isForwarding(name) ? received() : request).getHeaders(name);
        return values != null && values.hasMoreElements() ? Collections.list(values) : List.of();
    }

    @Override
    public Optional<InetAddress> peerAddress() {
        String address = received().getRemoteAddr();
        if (address == null) {
            return Optional.empty();
        }
        int zone = address.indexOf('%');
        return ClientAddress.parse(zone < 0 ? address : address.substring(0, zone));
    }

    /** The request of the container, below the wrappers of filters such as Spring's {@code ForwardedHeaderFilter}. */
    private HttpServletRequest received() {
        ServletRequest inner = request;
        while (inner instanceof ServletRequestWrapper wrapper) {
            inner = wrapper.getRequest();
        }
        return inner instanceof HttpServletRequest http ? http : request;
    }
}
