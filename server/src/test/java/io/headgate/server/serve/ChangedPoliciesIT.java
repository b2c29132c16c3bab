package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.server.ServerProcess;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Policies that change while {@code headgate serve} runs, as a process, on Redis. */
class ChangedPoliciesIT {

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private Path write(long permits) throws IOException {
        return write("""
                policies:
                  api:
                    rules:
                      per-user:
                        by: user
                        sliding-window: { permits: %d, window: 1h }
                """.formatted(permits));
    }

    private Path write(String text) throws IOException {
        Path next = Files.writeString(folder.resolve("next"), text);
        return Files.move(
                next,
                folder.resolve("policies.yaml"),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    /** Starts a server on whose checks Redis decides, however slow this machine is. */
    private static ServerProcess serve(Path policies, String redis) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("serve", "--policies", policies.toString(), "--port", "0"));
        arguments.addAll(List.of("--redis", redis, "--redis-timeout", "4s", "--fallback", "none"));
        return ServerProcess.start(arguments.toArray(String[]::new));
    }

    private HttpResponse<String> get(String address, String path) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create(address + path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private String remaining(String address) throws Exception {
        return get(address, "/check/api?user=alice")
                .headers()
                .firstValue("X-RateLimit-Remaining")
                .orElse("");
    }

    private JsonNode policyVersion(String address) throws Exception {
        return new ObjectMapper().readTree(get(address, "/v1/status").body()).get("policyVersion");
    }

    @Test
    void a_new_version_applies_with_its_counts_and_an_invalid_one_is_reported_and_not_applied() throws Exception {
        Path file = write(2);
        try (RedisServer redis = RedisServer.start();
                ServerProcess server = serve(file, redis.url())) {
            String address = server.awaitLine("listening on (http://\\S+)");
            assertThat(remaining(address)).isEqualTo("1");
            assertThat(policyVersion(address).has("rejected")).isFalse();

            write(10);
            server.awaitLine("policy api.per-user: raised from sliding-window 2 per 1h to sliding-window 10 per 1h");
            assertThat(remaining(address)).as("one permit was used before").isEqualTo("8");
            String version = policyVersion(address).get("version").asText();

            write("policies: { api: { rules: {} } }");
            String problem = server.awaitLine("rejected at \\S+: (.*); the previous version stays in force");
            assertThat(problem).contains("policies.api.rules");
            assertThat(remaining(address)).isEqualTo("7");
            assertThat(policyVersion(address).get("version").asText()).isEqualTo(version);
            assertThat(policyVersion(address).get("rejected").get("reason").asText())
                    .startsWith(problem);
            assertThat(get(address, "/readyz").statusCode()).isEqualTo(200);
            assertThat(get(address, "/readyz").body())
                    .contains("ready: policies: version ")
                    .contains(problem);
            assertThat(get(address, "/").body()).contains("version " + version).contains("rejected at");

            write(5);
            server.awaitLine("policy api.per-user: lowered from sliding-window 10 per 1h to sliding-window 5 per 1h");
            assertThat(remaining(address)).isEqualTo("1");
            assertThat(get(address, "/readyz").body()).isEqualTo("ready\n");
        }
    }
}
