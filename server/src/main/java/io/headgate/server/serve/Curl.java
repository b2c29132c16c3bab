package io.headgate.server.serve;

import io.headgate.limits.Policy;
import io.headgate.server.text.Json;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Commands to copy and try. */
public final class Curl {

    private static final Map<String, String> SAMPLES = Map.of(
            "user", "alice",
            "ip", "192.0.2.7",
            "endpoint", "/orders",
            "user-agent", "curl");

    private Curl() {}

    /** Asks a policy as a proxy would. */
    public static String check(URI server, Policy policy) {
        String query = policy.dimensions().stream()
                .map(dimension -> dimension + "=" + URLEncoder.encode(sample(dimension), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        return "curl -i '" + server + "/check/" + policy.name() + (query.isEmpty() ? "" : "?" + query) + "'";
    }

    /** Asks a policy in JSON. */
    public static String json(URI server, Policy policy) {
        Map<String, Object> attributes = new LinkedHashMap<>();
        policy.dimensions().forEach(dimension -> attributes.put(dimension, sample(dimension)));
        Map<String, Object> check = new LinkedHashMap<>();
        check.put("policy", policy.name());
        check.put("attributes", attributes);
        String body = new String(Json.bytes(check), StandardCharsets.UTF_8);
        return "curl -H 'Content-Type: application/json' -d '" + body + "' '" + server + "/v1/check'";
    }

    private static String sample(String dimension) {
        return SAMPLES.getOrDefault(dimension, "example");
    }
}
