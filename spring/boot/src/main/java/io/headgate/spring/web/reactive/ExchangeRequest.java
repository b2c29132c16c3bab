package io.headgate.spring.web.reactive;

import io.headgate.http.attributes.ClientAddress;
import io.headgate.spring.internal.expression.ReactiveResults;
import io.headgate.spring.web.MatchedPath;
import io.headgate.spring.web.internal.WebRequest;
import java.net.InetAddress;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.reactive.ServerHttpRequest;
import reactor.util.context.ContextView;

/** A request of WebFlux. Reads neither its body nor its form data. */
final class ExchangeRequest implements WebRequest {

    private final ServerHttpRequest request;
    private final ServerHttpRequest received;
    private final ContextView context;
    private final Optional<Principal> principal;
    private final MatchedPath path;

    /**
     * Creates a request.
     *
     * @param context has the received request, which has the address of the peer and the forwarding fields
     */
    ExchangeRequest(ServerHttpRequest request, ContextView context, Optional<Principal> principal) {
        this(request, context, principal, MatchedPath.UNKNOWN);
    }

    /** Creates a request of which a route of the application matched the path. */
    ExchangeRequest(ServerHttpRequest request, ContextView context, Optional<Principal> principal, MatchedPath path) {
        this.request = request;
        this.received = ReceivedRequests.of(context, request);
        this.context = context;
        this.principal = principal;
        this.path = path;
    }

    @Override
    public MatchedPath matchedPath() {
        return path;
    }

    @Override
    public PathContainer pathWithinApplication() {
        return request.getPath().pathWithinApplication();
    }

    @Override
    public PathContainer resolvedPath() {
        return pathWithinApplication();
    }

    @Override
    public Optional<Principal> principal() {
        return principal;
    }

    @Override
    public UnaryOperator<Object> conversion() {
        return ReactiveResults.stages(context);
    }

    @Override
    public String method() {
        return request.getMethod().name();
    }

    @Override
    public String path() {
        return request.getPath().value();
    }

    @Override
    public Optional<String> query() {
        return Optional.ofNullable(request.getURI().getRawQuery());
    }

    /** The methods of {@link HttpHeaders} that return all values of a field differ between Spring 6 and 7. */
    @Override
    public List<String> headers(String name) {
        HttpHeaders headers = (WebRequest.isForwarding(name) ? received : request).getHeaders();
        if (headers.getFirst(name) != null) {
            for (Map.Entry<String, List<String>> field : headers.headerSet()) {
                if (field.getKey().equalsIgnoreCase(name)) {
                    return List.copyOf(field.getValue());
                }
            }
        }
        return List.of();
    }

    @Override
    public Optional<InetAddress> peerAddress() {
        return ReceivedRequests.peer(received)
                .flatMap(peer -> peer.isUnresolved()
                        ? ClientAddress.parse(peer.getHostString())
                        : Optional.of(peer.getAddress()));
    }
}
