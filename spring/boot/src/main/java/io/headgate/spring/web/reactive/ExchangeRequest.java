package io.headgate.spring.web.reactive;

import io.headgate.http.attributes.ClientAddress;
import io.headgate.spring.web.WebRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.reactive.ServerHttpRequest;

/** A request of WebFlux. Reads neither its body nor its form data. */
final class ExchangeRequest implements WebRequest {

    private final ServerHttpRequest request;
    private final Optional<Principal> principal;

    ExchangeRequest(ServerHttpRequest request, Optional<Principal> principal) {
        this.request = request;
        this.principal = principal;
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
        HttpHeaders headers = request.getHeaders();
        if (headers.getFirst(name) != null) {
            for (Map.Entry<String, List<String>> field : headers.headerSet()) {
                if (field.getKey().equalsIgnoreCase(name)) {
                    return List.copyOf(field.getValue());
                }
            }
        }
        return List.of();
    }

    /** A proxy's address that Spring has read from a forwarding field is an unresolved one. */
    @Override
    public Optional<InetAddress> peerAddress() {
        InetSocketAddress peer = request.getRemoteAddress();
        if (peer == null) {
            return Optional.empty();
        }
        return peer.isUnresolved() ? ClientAddress.parse(peer.getHostString()) : Optional.of(peer.getAddress());
    }
}
