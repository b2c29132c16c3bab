package io.headgate.config.consul;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.testkit.consul.ConsulStandIn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Reads and changes keys of a Consul as another program would. */
final class ConsulProbe {

    private static final Pattern TEXT = Pattern.compile("\"([^\"]*)\"");

    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;

    ConsulProbe(ConsulStandIn consul) {
        this.url = consul.url() + "/v1/";
    }

    private String call(String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .method(method, BodyPublishers.ofString(body))
                .build();
        try {
            return http.send(request, BodyHandlers.ofString(UTF_8)).body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    void put(String key, String value) {
        call("PUT", "kv/" + key, value);
    }

    void delete(String prefix) {
        call("DELETE", "kv/" + prefix + "?recurse", "");
    }

    String value(String key) {
        return call("GET", "kv/" + key + "?raw", "");
    }

    List<String> keys(String prefix) {
        return TEXT.matcher(call("GET", "kv/" + prefix + "?keys", ""))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    /** The members of a session, or of a key with its session. */
    String session(String id) {
        return call("GET", "session/info/" + id, "");
    }

    /** The session that has locked a key. */
    String lockOf(String key) {
        return Pattern.compile("\"Session\":\"([^\"]+)\"")
                .matcher(call("GET", "kv/" + key, ""))
                .results()
                .map(MatchResult::group)
                .map(member -> member.replaceAll(".*:\"|\"", ""))
                .findFirst()
                .orElse("");
    }
}
