package io.headgate.http.attributes;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A request view in memory. */
record FakeRequest(
        String method,
        String path,
        Optional<String> query,
        Map<String, List<String>> fields,
        Optional<InetAddress> peerAddress,
        Map<String, String> attributes)
        implements RequestView {

    /** Returns a GET request of a target such as {@code /orders?user=a}, from 192.0.2.1. */
    static FakeRequest get(String target) {
        int mark = target.indexOf('?');
        return new FakeRequest(
                "GET",
                mark < 0 ? target : target.substring(0, mark),
                mark < 0 ? Optional.empty() : Optional.of(target.substring(mark + 1)),
                Map.of(),
                ClientAddress.parse("192.0.2.1"),
                Map.of());
    }

    FakeRequest from(Optional<InetAddress> peer) {
        return new FakeRequest(method, path, query, fields, peer, attributes);
    }

    FakeRequest withField(String name, String value) {
        Map<String, List<String>> more = new LinkedHashMap<>(fields);
        List<String> values = new ArrayList<>(headers(name));
        values.add(value);
        more.put(name.toLowerCase(Locale.ROOT), values);
        return new FakeRequest(method, path, query, more, peerAddress, attributes);
    }

    /** Returns a copy that has this attribute only. */
    FakeRequest withAttribute(String name, String value) {
        return new FakeRequest(method, path, query, fields, peerAddress, Map.of(name, value));
    }

    @Override
    public List<String> headers(String name) {
        return fields.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
    }

    @Override
    public Optional<String> attribute(String name) {
        return Optional.ofNullable(attributes.get(name));
    }
}
