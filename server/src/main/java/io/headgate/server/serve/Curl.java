package io.headgate.server.serve;

import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Policy;
import io.headgate.server.text.Json;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Creates {@code curl} commands that users can copy and try. */
public final class Curl {

    private static final Map<String, String> SAMPLES = Map.of(
            "user", "alice",
            "ip", "192.0.2.7",
            "endpoint", "/orders",
            "user-agent", "curl");

    private Curl() {}

    /** A check as a proxy sends it. */
    public static String check(URI server, Policy policy) {
        String query = policy.dimensions().stream()
                .map(dimension -> dimension + "=" + URLEncoder.encode(sample(dimension), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return "curl -i '" + server + "/check/" + policy.name() + (query.isEmpty() ? "" : "?" + query) + "'";
    }

    /** A check in JSON. */
    public static String json(URI server, Policy policy) {
        return json(server + "/v1/check", policy.name(), policy.dimensions());
    }

    /** A request for a hold of a policy with in-flight limits. */
    static String hold(URI server, InFlightPolicy policy) {
        return json(server + "/v1/holds", policy.name(), policy.dimensions());
    }

    private static String json(String path, String policy, Set<String> dimensions) {
        Map<String, Object> attributes = new LinkedHashMap<>();
        dimensions.forEach(dimension -> attributes.put(dimension, sample(dimension)));
        Map<String, Object> request = new LinkedHashMap<>();
        request.put("policy", policy);
        request.put("attributes", attributes);
        String body = new String(Json.bytes(request), StandardCharsets.UTF_8);
        return "curl -H 'Content-Type: application/json' -d '" + body + "' '" + path + "'";
    }

    private static String sample(String dimension) {
        return SAMPLES.getOrDefault(dimension, "example");
    }
}
