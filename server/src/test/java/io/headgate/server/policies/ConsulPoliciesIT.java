package io.headgate.server.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.CliRun;
import io.headgate.server.ServerProcess;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.consul.ConsulStandIn;
import io.headgate.testkit.consul.ConsulToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands that change the policies in Consul, and servers that apply them, with the class path of the server. */
@Timeout(180)
@SuppressWarnings("NullAway.Init") // set by JUnit
class ConsulPoliciesIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private ConsulStandIn consul;

    @BeforeEach
    void start() {
        consul = ConsulStandIn.start();
    }

    @AfterEach
    void stop() {
        consul.close();
    }

    private CliRun policy(String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of("policy", command, "--consul", consul.url()));
        all.addAll(List.of(arguments));
        return CliRun.of(all.toArray(String[]::new));
    }

    private String file(long permits) throws IOException {
        return Files.writeString(folder.resolve("api.yaml"), """
                policies:
                  api:
                    rules:
                      per-user: { by: user, sliding-window: { permits: %d, window: 1h } }
                """.formatted(permits))
                .toString();
    }

    private String apply(long permits) throws IOException {
        return version(policy("apply", "--reason", permits + " permits", file(permits)));
    }

    /** The version that a command has written. */
    private static String version(CliRun run) {
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        return run.out().lines().findFirst().orElse("").replace("wrote version ", "");
    }

    private ServerProcess serve(String... arguments) throws IOException {
        List<String> all =
                new ArrayList<>(List.of("serve", "--port", "0", "--policies", "consul", "--consul", consul.url()));
        all.addAll(List.of(arguments));
        return ServerProcess.start(all.toArray(String[]::new));
    }

    @Test
    void versions_are_applied_listed_shown_and_rolled_back() throws Exception {
        assertThat(policy("history").out()).isEqualTo("no policies were written\n");
        assertThat(policy("show").exitCode()).isEqualTo(1);
        assertThat(policy("show").err()).contains("has no policies; write them with headgate policy apply");
        String first = apply(100);
        assertThat(first).matches("1-[0-9a-f]{12}");
        CliRun second = policy("apply", "--reason", "sale", "--by", "bob", file(200));
        assertThat(second.out()).contains("raised from sliding-window 100 per 1h to sliding-window 200 per 1h");
        CliRun late = policy("apply", "--reason", "late", "--replaces", first, file(300));
        assertThat(late.exitCode()).isEqualTo(1);
        assertThat(late.out())
                .contains("current: version " + version(second) + ", written by bob")
                .contains("apply again: ./headgate policy show --consul " + consul.url() + "\n");
        assertThat(policy("history").out().lines()).hasSize(3);
        assertThat(policy("show", first).out()).isEqualTo(Files.readString(Path.of(file(100))));
        assertThat(version(policy("rollback", first))).startsWith("3-");
        assertThat(policy("show", "latest").exitCode()).isEqualTo(2);
        CliRun other = policy("history", "--key-prefix", "other");
        assertThat(other.out()).isEqualTo("no policies were written\n");
    }

    @Test
    void variables_may_have_the_urls_and_the_command_line_decides_if_both_are_set() throws Exception {
        String version = apply(100);
        Map<String, String> one = Map.of("HEADGATE_CONSUL", consul.url());
        Map<String, String> both = Map.of("HEADGATE_CONSUL", consul.url(), "HEADGATE_ETCD", "http://127.0.0.1:1");
        try (ServerProcess history = ServerProcess.start(List.of(), one, "policy", "history");
                ServerProcess named =
                        ServerProcess.start(List.of(), both, "policy", "history", "--consul", consul.url());
                ServerProcess unclear = ServerProcess.start(List.of(), both, "policy", "history")) {
            history.awaitLine(version + ".*100 permits");
            named.awaitLine(version + ".*100 permits");
            unclear.awaitLine("HEADGATE_ETCD and HEADGATE_CONSUL are both set; give --etcd URL or --consul URL");
            assertThat(unclear.awaitExit()).isEqualTo(2);
        }
    }

    @Test
    void the_variables_of_consuls_own_tools_have_the_address_and_the_token_and_a_file_may_have_the_token()
            throws Exception {
        consul.allow("s3cret", new ConsulToken("hg/config/policies/", true, true));
        String token = Files.writeString(folder.resolve("token"), "s3cret\n").toString();
        String address = consul.url().replace("http://", "");
        Map<String, String> variables = Map.of("CONSUL_HTTP_ADDR", address, "CONSUL_HTTP_TOKEN", "s3cret");
        Map<String, String> otherStore = Map.of("CONSUL_HTTP_ADDR", address, "HEADGATE_ETCD", "http://127.0.0.1:1");
        String version = version(policy("apply", "--consul-token-file", token, "--reason", "with a token", file(100)));
        assertThat(policy("history").err()).contains("Consul denies the token access: Permission denied");
        try (ServerProcess history = ServerProcess.start(List.of(), variables, "policy", "history");
                ServerProcess other = ServerProcess.start(List.of(), otherStore, "policy", "history")) {
            history.awaitLine(version + ".*with a token");
            other.awaitLine("etcd cannot be reached");
        }
    }

    @Test
    void a_server_applies_each_version_reports_it_and_continues_while_consul_is_stopped_and_started_again()
            throws Exception {
        String first = apply(2);
        try (RedisServer redis = RedisServer.start();
                ServerProcess server = serve("--redis", redis.url())) {
            server.awaitLine("policies: version " + first + " of " + consul.url() + " hg/config/policies");
            String address = server.awaitLine("listening on (http://\\S+)");
            awaitStatus(0, first);
            apply(10);
            server.awaitLine("policy api.per-user: raised from sliding-window 2 per 1h to sliding-window 10 per 1h");
            consul.stop();
            Await.until("the outage at /readyz", LONG, () -> get(address, "/readyz")
                    .contains("policies: the source rejected"));
            assertThat(get(address, "/check/api?user=alice"))
                    .as("it still decides")
                    .isNotNull();
            assertThat(policy("status").err()).contains("Consul cannot be reached: Connection refused");
            consul.restart();
            Await.until(
                    "the end of the outage", LONG, () -> get(address, "/readyz").equals("ready\n"));
            String third = version(policy("rollback", first));
            server.awaitLine("policy api.per-user: lowered from sliding-window 10 per 1h to sliding-window 2 per 1h");
            awaitStatus(0, third);
            server.terminate();
            assertThat(server.awaitExit()).isZero();
            assertThat(server.output()).noneMatch(line -> line.contains("Exception"));
            assertThat(policy("status").out()).contains("no process reports");
        }
    }

    private void awaitStatus(int exitCode, String version) {
        Await.until("status of " + version, LONG, () -> {
            CliRun status = policy("status");
            return status.exitCode() == exitCode && status.out().contains("current version: " + version);
        });
    }

    private static String get(String address, String path) {
        try {
            return HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(address + path)).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_server_with_a_copy_starts_while_consul_is_down_and_without_one_it_does_not() throws Exception {
        String version = apply(100);
        String copy = folder.resolve("copy.yaml").toString();
        try (ServerProcess server = serve("--policies-copy", copy)) {
            server.awaitLine("listening on");
        }
        consul.stop();
        CliRun without = CliRun.of("serve", "--port", "0", "--policies", "consul", "--consul", consul.url());
        assertThat(without.exitCode()).isEqualTo(1);
        assertThat(without.err()).contains("Consul cannot be reached: Connection refused");
        try (ServerProcess server = serve("--policies-copy", copy)) {
            server.awaitLine("starting with the copy in");
            server.awaitLine("policies: version " + version + " of");
            server.awaitLine("listening on");
            consul.restart();
            apply(50);
            server.awaitLine("policy api.per-user: lowered from sliding-window 100 per 1h to sliding-window 50 per 1h");
        }
    }
}
