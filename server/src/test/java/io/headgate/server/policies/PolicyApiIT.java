package io.headgate.server.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.CliRun;
import io.headgate.server.ServerProcess;
import io.headgate.server.text.Json;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code /v1/policies} of a server process whose policies are in a real Redis, or in a file. */
@Timeout(120)
class PolicyApiIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final String TOKEN = "an-operators-own-secret";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private String address = "";

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @BeforeEach
    void empty() {
        try (RedisProbe probe = RedisProbe.of(REDIS.url())) {
            probe.flushAll();
        }
    }

    private static String yaml(long permits) {
        return """
                policies:
                  api:
                    rules:
                      per-user: { by: user, sliding-window: { permits: %d, window: 1h } }
                """.formatted(permits);
    }

    private Path file() throws Exception {
        return Files.writeString(folder.resolve("api.yaml"), yaml(100));
    }

    private ServerProcess serve(String... policies) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("serve", "--port", "0", "--operator-token", TOKEN));
        arguments.addAll(List.of(policies));
        ServerProcess server = ServerProcess.start(arguments.toArray(String[]::new));
        address = server.awaitLine("listening on (http://\\S+)");
        return server;
    }

    private ServerProcess serveFromRedis() throws Exception {
        assertThat(CliRun.of("policy", "apply", "--redis", REDIS.url(), "--reason", "first", file().toString())
                        .exitCode())
                .isZero();
        return serve("--policies", "redis", "--redis", REDIS.url());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send(HttpRequest.newBuilder(URI.create(address + "/v1/policies" + path)));
    }

    private HttpResponse<String> post(String path, Map<String, Object> body) throws Exception {
        return send(HttpRequest.newBuilder(URI.create(address + "/v1/policies" + path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(new String(Json.bytes(body), StandardCharsets.UTF_8))));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return CLIENT.send(
                request.header("Authorization", "Bearer " + TOKEN).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static List<Map<String, Object>> texts(String yaml) {
        return List.of(Map.of("name", "api.yaml", "yaml", yaml));
    }

    private static String done(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body().strip();
    }

    private static String problem(HttpResponse<String> response, int status) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return response.body();
    }

    @Test
    void policies_are_checked_applied_and_rolled_back() throws Exception {
        try (ServerProcess server = serveFromRedis()) {
            String raised = "\"changes\":[{\"path\":\"api.per-user\",\"kind\":\"raised\","
                    + "\"description\":\"from sliding-window 100 per 1h to sliding-window 200 per 1h\"}]";
            assertThat(done(post("/check", Map.of("texts", texts(yaml(200)))))).isEqualTo("{" + raised + "}");
            assertThat(done(get("/history"))).contains("\"reason\":\"first\"").doesNotContain("\"version\":\"2-");

            String applied = done(post("", Map.of("texts", texts(yaml(200)), "reason", "more", "by", "ada")));
            assertThat(applied).matches("\\{\"written\":true,\"version\":\"2-[0-9a-f]{12}\"," + quoted(raised) + "}");
            server.awaitLines(
                    "operator 127.0.0.1 apply policies: wrote version 2-[0-9a-f]{12}",
                    "policies: version 2-[0-9a-f]{12} of");
            assertThat(done(get("")))
                    .contains("\"version\":\"2-", "\"inForce\":\"2-", "\"name\":\"api.yaml\"", "permits: 200");
            assertThat(done(get("?version=1"))).contains("permits: 100");
            assertThat(done(get("/history?limit=1")))
                    .matches("\\{\"versions\":\\[\\{\"version\":\"2-[0-9a-f]{12}\",\"writtenAt\":\"[^\"]+\","
                            + "\"by\":\"ada\",\"reason\":\"more\"}]}");

            assertThat(done(post("/rollback", Map.of("version", "1")))).contains("\"version\":\"3-", "\"lowered\"");
            server.awaitLine("policies: version 3-[0-9a-f]{12} of");
            assertThat(done(get("/history"))).contains("\"by\":\"127.0.0.1\",\"reason\":\"roll back to 1\"");
            assertThat(done(get("/status"))).contains("\"instances\":[{\"name\":", "\"version\":\"3-");
        }
    }

    private static String quoted(String text) {
        return Pattern.quote(text);
    }

    @Test
    void a_change_of_another_version_is_a_conflict_and_an_unchanged_one_writes_nothing() throws Exception {
        try (ServerProcess server = serveFromRedis()) {
            assertThat(done(post("", Map.of("texts", texts(yaml(100)), "reason", "same"))))
                    .startsWith("{\"written\":false,\"version\":\"1-");
            done(post("", Map.of("texts", texts(yaml(5)), "reason", "less", "replaces", "1")));
            assertThat(problem(post("", Map.of("texts", texts(yaml(6)), "reason", "less", "replaces", "1")), 409))
                    .contains("not written, as the current version is not the expected one; it is 2-")
                    .contains("written by 127.0.0.1: less");
            assertThat(done(get("/history"))).doesNotContain("\"version\":\"3-");
            assertThat(server.pid()).isPositive();
        }
    }

    @Test
    void invalid_calls_are_rejected_before_anything_is_written() throws Exception {
        try (ServerProcess server = serveFromRedis()) {
            assertThat(problem(post("/check", Map.of("texts", texts("policies: { api: { rules: {} } }"))), 400))
                    .contains("api.yaml:1:");
            assertThat(problem(
                            post("", Map.of("texts", texts(yaml(5).replace("by: user", "by: ip")), "reason", "x")),
                            400))
                    .contains("a server with the old policies rejects the new ones");
            for (String path : List.of("", "/check")) {
                Map<String, Object> reason = path.isEmpty() ? Map.of("reason", "x") : Map.of();
                Map<String, Object> variable = new HashMap<>(reason);
                variable.put("texts", texts(yaml(5).replace("permits: 5", "permits: '${HOME}'")));
                assertThat(problem(post(path, variable), 400)).contains("variables are for local files only");
                Map<String, Object> include = new HashMap<>(reason);
                include.put("texts", texts("include: [/etc/passwd]\n" + yaml(5)));
                assertThat(problem(post(path, include), 400)).contains("includes are for local files only");
            }
            assertThat(problem(post("", Map.of("texts", texts(yaml(5)))), 400)).contains("reason must be a string");
            assertThat(problem(post("", Map.of("texts", texts(yaml(5)), "reason", " ")), 400))
                    .contains("reason must have 1 to 1000 characters");
            assertThat(problem(post("", Map.of("texts", List.of(), "reason", "x")), 400))
                    .contains("texts must be an array of 1 to 1000 objects");
            assertThat(problem(post("/rollback", Map.of("version", "7")), 404)).contains("there is no version");
            assertThat(problem(post("/rollback", Map.of("version", "x")), 400)).contains("version");
            assertThat(problem(get("/history?limit=0"), 400)).contains("limit must be a whole number from 1 to 100");
            assertThat(problem(get("/history?max=1"), 400)).contains("allowed is limit");
            HttpResponse<String> anonymous = CLIENT.send(
                    HttpRequest.newBuilder(URI.create(address + "/v1/policies")).build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(problem(anonymous, 401)).contains("Authorization");
            assertThat(done(get("/history"))).doesNotContain("\"version\":\"2-");
            assertThat(server.pid()).isPositive();
        }
    }

    @Test
    void policies_of_a_file_are_shown_and_checked_but_not_written() throws Exception {
        Path included = Files.writeString(folder.resolve("more.yaml"), """
                policies:
                  more:
                    rules:
                      all: { fixed-window: { permits: "${HEADGATE_UNSET:-7}", window: 1h } }
                """);
        Files.writeString(file(), "include: [" + included.getFileName() + "]\n" + yaml(100));
        try (ServerProcess server =
                serve("--policies", folder.resolve("api.yaml").toString())) {
            assertThat(done(get("")))
                    .contains(
                            "permits: 100",
                            "include: [more.yaml]",
                            "permits: \\\"${HEADGATE_UNSET:-7}\\\"",
                            "\"source\":",
                            "\"inForce\":");
            assertThat(done(post("/check", Map.of("texts", texts(yaml(5)))))).contains("\"lowered\"");
            assertThat(problem(post("", Map.of("texts", texts(yaml(5)), "reason", "x")), 409))
                    .contains("which the server does not write; replace that file");
            assertThat(problem(get("/status"), 409)).contains("which the server does not write");
            assertThat(server.pid()).isPositive();
        }
    }
}
