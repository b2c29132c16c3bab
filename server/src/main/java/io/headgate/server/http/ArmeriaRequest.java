package io.headgate.server.http;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.http.attributes.RequestView;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/** A request to this server, for resolvers of attributes. */
public record ArmeriaRequest(ServiceRequestContext context, HttpRequest request) implements RequestView {

    @Override
    public String method() {
        return request.method().name();
    }

    @Override
    public String path() {
        return context.path();
    }

    @Override
    public Optional<String> query() {
        return Optional.ofNullable(context.query());
    }

    @Override
    public List<String> headers(String name) {
        return request.headers().getAll(name);
    }

    @Override
    public Optional<InetAddress> peerAddress() {
        return PeerAddress.of(context);
    }
}
