package io.headgate.server.holds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.server.ServerProcess;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Holds over HTTP while Redis is down, and when it is back without its data. */
class HoldsFallbackIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    private static final String POLICIES = """
            policies:
              exports:
                rules:
                  global:
                    in-flight: { permits: 2 }
              imports:
                fallback: closed
                rules:
                  global:
                    in-flight: { permits: 2 }
            """;

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private HttpResponse<String> post(String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(path))
                .timeout(Duration.ofSeconds(60))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).join();
    }

    private static JsonNode json(HttpResponse<String> response) throws Exception {
        return new ObjectMapper().readTree(response.body());
    }

    @Test
    void without_redis_holds_come_from_local_shares_and_redis_receives_them_when_it_returns() throws Exception {
        Path policies = Files.writeString(folder.resolve("policies.yaml"), POLICIES);
        try (RedisServer redis = RedisServer.startOwn();
                ServerProcess server = ServerProcess.start(
                        "serve", "--policies", policies.toString(), "--port", "0", "--redis", redis.url())) {
            String address = server.awaitLine("listening on (http://\\S+)");
            String holds = address + "/v1/holds";
            HttpResponse<String> before = post(holds, "{\"policy\": \"exports\", \"leaseSeconds\": 600}");
            assertThat(before.statusCode()).isEqualTo(200);
            assertThat(json(before).has("basis")).isFalse();

            redis.kill();
            Await.until("degraded", LONG, () -> {
                assertThat(post(holds, "{\"policy\": \"imports\"}").statusCode())
                        .isEqualTo(429);
                return String.join("\n", server.output()).contains(" is degraded, was ");
            });

            HttpResponse<String> closed = post(holds, "{\"policy\": \"imports\"}");
            assertThat(json(closed).get("basis").asText()).isEqualTo("closed");
            assertThat(closed.body()).contains("Redis does not reply, and no permits are available until it does.");
            HttpResponse<String> share = post(holds, "{\"policy\": \"exports\", \"leaseSeconds\": 600}");
            assertThat(share.statusCode()).isEqualTo(200);
            assertThat(json(share).get("basis").asText()).isEqualTo("local-share");
            HttpResponse<String> full = post(holds, "{\"policy\": \"exports\"}");
            assertThat(full.statusCode()).isEqualTo(429);
            assertThat(full.body())
                    .contains("this server's share of rule global (2 permits at once, in total)"
                            + " has too few free permits.");
            String held = "{\"policy\": \"exports\", \"hold\": " + json(before).get("hold") + "}";
            assertThat(post(holds + "/renew", held).statusCode()).isEqualTo(200);

            redis.restart();
            server.awaitLine(" is healthy, was probing");
            JsonNode rules =
                    json(post(holds + "/peek", "{\"policy\": \"exports\"}")).get("rules");
            // Lost data is not restored, except for holds that Redis never received.
            assertThat(rules.get(0).get("held").asInt()).isEqualTo(1);
            assertThat(post(holds + "/renew", held).statusCode()).isEqualTo(410);
            assertThat(post(address + "/v1/holds", "{\"policy\": \"exports\"}").statusCode())
                    .isEqualTo(200);
        }
    }
}
