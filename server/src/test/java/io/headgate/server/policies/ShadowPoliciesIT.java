package io.headgate.server.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.CliRun;
import io.headgate.server.ServerProcess;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Shadow versions over the command line and HTTP, which two server processes evaluate. */
@Timeout(300)
class ShadowPoliciesIT {

    private static final Duration LONG = Duration.ofMinutes(2);
    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final String TOKEN = "an-operators-own-secret";
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

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

    private static CliRun policy(String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of("policy", command, "--redis", REDIS.url()));
        all.addAll(List.of(arguments));
        return CliRun.of(all.toArray(String[]::new));
    }

    private CliRun apply(long permits, String... more) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("--by", "ada", "--reason", permits + " permits", file(permits)));
        arguments.addAll(List.of(more));
        return policy("apply", arguments.toArray(String[]::new));
    }

    private String file(long permits) throws IOException {
        return Files.writeString(folder.resolve("api.yaml"), yaml(permits)).toString();
    }

    private static String yaml(long permits) {
        return """
                policies:
                  api:
                    rules:
                      per-user: { by: user, sliding-window: { permits: %d, window: 1h } }
                """.formatted(permits);
    }

    /** Starts a server on whose checks Redis decides, however slow this machine is. */
    private static ServerProcess serve() throws Exception {
        List<String> arguments = new ArrayList<>(List.of("serve", "--port", "0", "--operator-token", TOKEN));
        arguments.addAll(List.of("--policies", "redis", "--redis", REDIS.url()));
        arguments.addAll(List.of("--fallback", "none", "--redis-timeout", "4s"));
        return ServerProcess.start(arguments.toArray(String[]::new));
    }

    private static HttpResponse<String> send(String method, String url, String body) throws Exception {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create(url))
                        .header("Authorization", "Bearer " + TOKEN)
                        .header("Content-Type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static void check(String server, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            assertThat(send("POST", server + "/v1/check", "{\"policy\":\"api\",\"attributes\":{\"user\":\"alice\"}}")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    private static void awaitPreview(String part) {
        Await.until(part, LONG, () -> policy("preview").out().contains(part));
    }

    @Test
    void two_servers_evaluate_a_shadow_version_until_it_is_applied() throws Exception {
        assertThat(apply(100).exitCode()).isZero();
        try (ServerProcess one = serve();
                ServerProcess other = serve()) {
            String oneUrl = one.awaitLine("listening on (http://\\S+)");
            String otherUrl = other.awaitLine("listening on (http://\\S+)");
            CliRun written = apply(6, "--shadow");
            assertThat(written.out().lines())
                    .satisfiesExactly(
                            line -> assertThat(line).matches("wrote shadow version 1-[0-9a-f]{12}"),
                            line -> assertThat(line).startsWith("api.per-user: lowered from sliding-window 100"));
            one.awaitLine("policies: shadow version 1-[0-9a-f]{12} is evaluated; policies that differ: 1");
            awaitPreview("by 2 of 2 processes");
            check(oneUrl, 5);
            check(otherUrl, 5);
            awaitPreview("api               10       0        4 (40.0%)     4 (40.0%)              0");
            String preview = policy("preview").out();
            assertThat(preview)
                    .contains("shadow version 1-")
                    .contains("written by ada,")
                    .contains("so that it denies too few requests until ");
            assertThat(preview.lines()).anySatisfy(line -> assertThat(line).startsWith("  per-user "));
            String json = policy("preview", "--json").out();
            assertThat(json)
                    .contains("\"evaluatedBy\":2,\"others\":[]")
                    .contains("{\"policy\":\"api\",\"requests\":10,\"denied\":0,\"wouldBeDenied\":4,\"newlyDenied\":4,"
                            + "\"newlyAllowed\":0,\"incomplete\":0,\"skipped\":0,\"failed\":0,\"rules\":[{\"rule\":"
                            + "\"per-user\",\"denied\":0,\"wouldBeDenied\":4,\"newlyDenied\":4,\"newlyAllowed\":0,");
            assertThat(send("GET", oneUrl + "/v1/policies/preview", "").body().strip())
                    .isEqualTo(json.strip());
            assertThat(policy("status").out()).contains("; headgate policy preview shows who evaluates it");
            assertThat(policy("status", "--json").out()).contains(",\"shadow\":\"1-");
            assertThat(policy("show", "shadow").out()).isEqualTo(yaml(6));
            assertThat(policy("history").out()).contains("shadow version 1-").contains(": 6 permits");

            assertThat(apply(6).out()).contains("wrote version 2-");
            one.awaitLine("policies: shadow version 1-[0-9a-f]{12} is no longer evaluated");
            CliRun none = policy("preview");
            assertThat(none.exitCode()).isEqualTo(1);
            assertThat(none.out())
                    .contains("there is no shadow version; write one with headgate policy apply FILE --shadow");
        }
    }

    @Test
    void of_two_shadow_versions_the_second_is_not_written_and_a_discarded_one_is_gone() throws Exception {
        CliRun first = apply(6, "--shadow");
        assertThat(first.exitCode()).isEqualTo(2);
        assertThat(first.err())
                .contains("a shadow version is compared with the current version, and there is none")
                .contains("Nothing was changed");
        apply(100);
        CliRun same = apply(100, "--shadow");
        assertThat(same.exitCode()).isEqualTo(2);
        assertThat(same.err()).contains("these are the policies of the current version 1-");
        assertThat(apply(6, "--shadow", "--dry-run").out()).contains("would write these policies");
        assertThat(policy("discard").out()).isEqualTo("there is no shadow version\n");
        assertThat(apply(6, "--shadow").exitCode()).isZero();
        assertThat(apply(6, "--shadow").out()).contains("unchanged: these are the policies of shadow version 1-");
        CliRun conflict = apply(7, "--shadow", "--replaces", "2");
        assertThat(conflict.exitCode()).isEqualTo(1);
        assertThat(conflict.out())
                .contains("not written, as the shadow version is not the expected one")
                .contains("current: version 1-")
                .contains("policy show shadow --redis");
        assertThat(apply(7, "--shadow", "--replaces", "1").out()).contains("wrote shadow version 2-");
        assertThat(policy("preview").out()).contains("by 0 of 0 processes");
        assertThat(policy("discard", "--dry-run").out()).startsWith("would discard shadow version 2-");
        assertThat(policy("discard").out()).startsWith("discarded shadow version 2-");
        assertThat(policy("show", "shadow").err()).contains("there is no version \"shadow\"");
        assertThat(policy("show").out()).isEqualTo(yaml(100));
    }

    @Test
    void a_shadow_version_is_written_previewed_and_discarded_over_http() throws Exception {
        apply(100);
        try (ServerProcess server = serve()) {
            String policies = server.awaitLine("listening on (http://\\S+)") + "/v1/policies";
            assertThat(send("GET", policies + "/preview", "").body()).matches("\\{\"version\":\"1-[0-9a-f]{12}\"}\\s*");
            String body = "{\"shadow\":true,\"reason\":\"try\",\"texts\":[{\"name\":\"api.yaml\",\"yaml\":\""
                    + yaml(6).replace("\n", "\\n") + "\"}]}";
            assertThat(send("POST", policies, body).body()).startsWith("{\"written\":true,\"version\":\"1-");
            server.awaitLine("operator 127.0.0.1 apply policies: wrote shadow version 1-[0-9a-f]{12}");
            assertThat(send("POST", policies, body).body()).startsWith("{\"written\":false,\"version\":\"1-");
            assertThat(send("GET", policies + "?version=shadow", "").body()).contains("permits: 6");
            assertThat(send("GET", policies + "/history", "").body()).contains("\"shadow\":{\"version\":\"1-");
            Await.until("evaluation", LONG, () -> {
                try {
                    return send("GET", policies + "/preview", "").body().contains("\"evaluatedBy\":1");
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(send("GET", policies + "/status", "").body()).contains("\"shadow\":\"1-");
            assertThat(send("DELETE", policies + "/shadow", "").body().strip()).isEqualTo("{\"discarded\":true}");
            assertThat(send("DELETE", policies + "/shadow", "").body().strip()).isEqualTo("{\"discarded\":false}");
            assertThat(send("GET", policies + "/shadow", "").statusCode()).isEqualTo(405);
            assertThat(send("GET", policies, "").body()).contains("permits: 100");
        }
    }

    @Test
    void policies_of_a_file_have_no_shadow_version() throws Exception {
        try (ServerProcess server =
                ServerProcess.start("serve", "--port", "0", "--operator-token", TOKEN, "--policies", file(1))) {
            String policies = server.awaitLine("listening on (http://\\S+)") + "/v1/policies";
            HttpResponse<String> preview = send("GET", policies + "/preview", "");
            assertThat(preview.statusCode()).isEqualTo(409);
            assertThat(preview.body()).contains("which the server does not write");
        }
        assertThat(CliRun.of("policy", "apply", "--shadow", "--reason", "x", file(1))
                        .err())
                .contains("give the Redis, etcd or Consul that has the policies");
    }
}
