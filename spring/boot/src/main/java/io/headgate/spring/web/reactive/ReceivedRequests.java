package io.headgate.spring.web.reactive;

import java.net.InetSocketAddress;
import java.util.Optional;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.ClassUtils;
import reactor.netty.http.server.HttpServerRequest;
import reactor.util.context.ContextView;

/**
 * Keeps each request as the server received it. Spring's {@code ForwardedHeaderTransformer} later replaces the address of the peer, and
 * removes the forwarding fields, before the first filter.
 */
final class ReceivedRequests implements HttpHandlerDecoratorFactory {

    private static final String KEY = ReceivedRequests.class.getName();
    private static final boolean NETTY = ClassUtils.isPresent(
            "reactor.netty.http.server.HttpServerRequest", ReceivedRequests.class.getClassLoader());

    @Override
    public HttpHandler apply(HttpHandler handler) {
        return (request, response) ->
                handler.handle(request, response).contextWrite(context -> context.put(KEY, request));
    }

    /** Returns the request as the server received it; the given one if this is unknown. */
    static ServerHttpRequest of(ContextView context, ServerHttpRequest request) {
        return context.getOrDefault(KEY, request);
    }

    /** Returns the address of the peer of a request that was received. */
    static Optional<InetSocketAddress> peer(ServerHttpRequest received) {
        Optional<InetSocketAddress> peer = Optional.ofNullable(received.getRemoteAddress());
        return NETTY && peer.isPresent() ? Netty.peer(received, peer) : peer;
    }

    /** What only an application with Reactor Netty loads. */
    private static final class Netty {

        /** Netty itself may replace the address, too ({@code server.forward-headers-strategy: native}). */
        static Optional<InetSocketAddress> peer(ServerHttpRequest received, Optional<InetSocketAddress> otherwise) {
            Object request;
            try {
                request = ServerHttpRequestDecorator.getNativeRequest(received);
            } catch (IllegalStateException | IllegalArgumentException e) {
                return otherwise; // The request of a test without a server has no native request.
            }
            if (request instanceof HttpServerRequest netty) {
                return netty.connectionRemoteAddress() instanceof InetSocketAddress peer
                        ? Optional.of(peer)
                        : Optional.empty();
            }
            return otherwise;
        }
    }
}
