package io.headgate.spring.web.internal;

import io.headgate.http.attributes.ClientAddress;
import java.net.InetAddress;
import java.security.Principal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/** A request of a client at 192.0.2.7. */
final class FakeWebRequest implements WebRequest {

    private final String method;
    private final String path;
    private final Optional<String> query;
    private final Map<String, List<String>> headers = new LinkedHashMap<>();
    private @Nullable String resolved;
    private Optional<Principal> principal = Optional.empty();
    private Optional<InetAddress> peer = ClientAddress.parse("192.0.2.7");

    private FakeWebRequest(String method, String target) {
        this.method = method;
        int mark = target.indexOf('?');
        this.path = mark < 0 ? target : target.substring(0, mark);
        this.query = mark < 0 ? Optional.empty() : Optional.of(target.substring(mark + 1));
    }

    static FakeWebRequest get(String target) {
        return new FakeWebRequest("GET", target);
    }

    static FakeWebRequest of(String method, String target) {
        return new FakeWebRequest(method, target);
    }

    FakeWebRequest header(String name, String value) {
        headers.computeIfAbsent(name.toLowerCase(Locale.ROOT), key -> new ArrayList<>())
                .add(value);
        return this;
    }

    /** The server resolves the path to this one. */
    FakeWebRequest resolvedTo(String other) {
        resolved = other;
        return this;
    }

    FakeWebRequest user(String name) {
        return user(() -> name);
    }

    FakeWebRequest user(Principal user) {
        principal = Optional.of(user);
        return this;
    }

    FakeWebRequest from(String address) {
        peer = ClientAddress.parse(address);
        return this;
    }

    FakeWebRequest withoutAddress() {
        peer = Optional.empty();
        return this;
    }

    @Override
    public PathContainer pathWithinApplication() {
        return PathContainer.parsePath(path);
    }

    @Override
    public PathContainer resolvedPath() {
        return resolved == null ? pathWithinApplication() : PathContainer.parsePath(resolved);
    }

    @Override
    public Optional<Principal> principal() {
        return principal;
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public Optional<String> query() {
        return query;
    }

    @Override
    public List<String> headers(String name) {
        return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
    }

    @Override
    public Optional<InetAddress> peerAddress() {
        return peer;
    }
}
