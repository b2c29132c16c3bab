package io.headgate.server.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.CliRun;
import io.headgate.server.ServerProcess;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands that change the policies in a real Redis, and a server that applies them. */
@Timeout(120)
class StoredPoliciesIT {

    private static final RedisServer REDIS = RedisServer.startOwn();
    private static final String VERSION = "[1-9][0-9]*-[0-9a-f]{12}";

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
        List<String> arguments = new ArrayList<>(List.of("--reason", permits + " permits", file(permits)));
        arguments.addAll(List.of(more));
        return policy("apply", arguments.toArray(String[]::new));
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

    /** The version that a command has written. */
    private static String version(CliRun run) {
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        return run.out().lines().findFirst().orElse("").replace("wrote version ", "");
    }

    @Test
    void apply_writes_a_version_and_prints_its_changes() throws Exception {
        CliRun first = apply(100);
        assertThat(first.out()).matches("wrote version 1-[0-9a-f]{12}\\R");
        CliRun second = apply(200);
        assertThat(second.out().lines())
                .satisfiesExactly(line -> assertThat(line).matches("wrote version 2-[0-9a-f]{12}"), line -> assertThat(
                                line)
                        .isEqualTo("api.per-user: raised from sliding-window 100 per 1h to sliding-window 200 per 1h"));
        assertThat(apply(99, "--json").out())
                .matches(
                        "\\{\"written\":true,\"version\":\"" + VERSION
                                + "\",\"changes\":\\[\\{\"path\":\"api.per-user\","
                                + "\"kind\":\"lowered\",\"description\":\"from sliding-window 200 per 1h to sliding-window 99 per 1h\"}]}\\R?");
    }

    @Test
    void apply_changes_nothing_for_invalid_or_incompatible_policies_a_wrong_option_or_a_dry_run() throws Exception {
        String version = version(apply(100));
        CliRun dry = apply(200, "--dry-run");
        assertThat(dry.exitCode()).isZero();
        assertThat(dry.out()).contains("would write these policies").contains("raised from sliding-window 100");
        String invalid = Files.writeString(folder.resolve("invalid.yaml"), "policies: { api: { rules: {} } }")
                .toString();
        assertThat(policy("apply", "--reason", "test", invalid).err()).contains(invalid + ":1:");
        String other = Files.writeString(
                        folder.resolve("other.yaml"),
                        Files.readString(Path.of(file(100))).replace("by: user", "by: ip"))
                .toString();
        CliRun incompatible = policy("apply", "--reason", "test", other);
        assertThat(incompatible.exitCode()).isEqualTo(2);
        assertThat(incompatible.err()).contains("the dimensions of rule per-user of policy api can't change");
        assertThat(policy("apply", file(200)).err()).contains("Missing required option: '--reason=TEXT'");
        CliRun wrong = apply(200, "--by", " ");
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err()).contains("by must have 1 to 128 characters").contains("Nothing was changed");
        assertThat(policy("history", "--json").out())
                .containsOnlyOnce("\"version\"")
                .contains(version);
    }

    @Test
    void of_two_changes_of_one_version_the_second_is_not_written() throws Exception {
        String edited = version(apply(100));
        String current = version(apply(200, "--by", "bob"));
        CliRun run = apply(300, "--replaces", edited);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out().lines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .isEqualTo("not written, as the current version is not the expected one"),
                        line -> assertThat(line)
                                .matches("current: version " + current + ", written by bob, \\S+Z: 200 permits"),
                        line -> assertThat(line)
                                .isEqualTo("compare with it, and apply again: ./headgate policy show --redis "
                                        + REDIS.url()));
        assertThat(apply(300, "--replaces", edited, "--dry-run").exitCode()).isEqualTo(1);
        assertThat(apply(300, "--replaces", current).exitCode()).isZero();
        assertThat(apply(400, "--replaces", "2").exitCode()).isEqualTo(1);
        assertThat(apply(400, "--replaces", "3").exitCode()).isZero();
    }

    @Test
    void history_lists_who_wrote_versions_when_and_why_and_show_prints_them() throws Exception {
        assertThat(policy("history").out()).isEqualTo("no policies were written\n");
        assertThat(policy("show").exitCode()).isEqualTo(1);
        assertThat(policy("show").err()).contains("has no policies; write them with headgate policy apply");
        String first = version(apply(100));
        String second = version(apply(200, "--by", "bob"));
        assertThat(policy("history").out().lines())
                .satisfiesExactly(
                        line -> assertThat(line).matches("version +written +by +reason"),
                        line -> assertThat(line).matches(second + "  \\S+Z  bob +200 permits"),
                        line -> assertThat(line).matches(first + "  \\S+Z  \\S+@\\S+  100 permits"));
        assertThat(policy("history", "--limit", "1").out()).contains(second).doesNotContain(first);
        assertThat(policy("history", "--limit", "101").err()).contains("not a whole number from 1 to 100");
        assertThat(policy("show").out()).isEqualTo(Files.readString(Path.of(file(200))));
        assertThat(policy("show", first).out()).isEqualTo(Files.readString(Path.of(file(100))));
        assertThat(policy("show", "1", "--json").out())
                .startsWith("{\"version\":\"" + first + "\",\"files\":{\"api.yaml\":\"policies:\\n");
        assertThat(policy("show", "3").err()).contains("there is no version \"3\"");
        assertThat(policy("show", "latest").err())
                .contains("a version must be a number such as 17, or an id such as 17-3c9f0b6a41de, was \"latest\"");
    }

    @Test
    void apply_writes_nothing_if_the_policies_are_the_current_ones_and_rollback_writes_them_again() throws Exception {
        String first = version(apply(100));
        CliRun same = apply(100);
        assertThat(same.exitCode()).isZero();
        assertThat(same.out().strip()).isEqualTo("unchanged: these are the policies of version " + first);
        assertThat(version(policy("rollback", first))).startsWith("2-");
    }

    @Test
    void a_server_with_a_copy_starts_while_redis_is_down() throws Exception {
        assertThat(CliRun.of("serve", "--port", "0", "--policies", file(1), "--policies-copy", "copy.yaml")
                        .err())
                .contains("--policies-copy needs --policies redis, etcd or consul");
        try (RedisServer own = RedisServer.startOwn()) {
            String file = file(100);
            CliRun applied = CliRun.of("policy", "apply", "--redis", own.url(), "--reason", "test", file);
            String version = version(applied);
            String[] serve = {
                "serve",
                "--port",
                "0",
                "--policies",
                "redis",
                "--redis",
                own.url(),
                "--policies-copy",
                folder.resolve("copy.yaml").toString()
            };
            try (ServerProcess server = ServerProcess.start(serve)) {
                server.awaitLine("listening on");
            }
            own.kill();
            try (ServerProcess server = ServerProcess.start(serve)) {
                server.awaitLine("starting with the copy in");
                server.awaitLine("policies: version " + version + " of");
                String address = server.awaitLine("listening on (http://\\S+)");
                Await.until(
                        "the outage at /readyz",
                        Duration.ofSeconds(60),
                        () -> ready(address).startsWith("ready: ")
                                && ready(address).contains("policies: the source rejected"));
                own.restart();
                version(CliRun.of("policy", "apply", "--redis", own.url(), "--reason", "test", file));
                server.awaitLine(
                        "policies: version 1-[0-9a-f]{12} of redis://127.0.0.1:[0-9]+ hg:config:policies is in force");
            }
        }
    }

    private static String ready(String address) {
        try {
            URI uri = URI.create(address + "/readyz");
            return HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_directory_is_one_version_with_the_names_of_its_files() throws Exception {
        Path directory = Files.createDirectory(folder.resolve("policies"));
        Files.copy(Path.of(file(100)), directory.resolve("api.yaml"));
        Files.writeString(
                directory.resolve("sms.yaml"),
                Files.readString(Path.of(file(5))).replace("api:", "sms:"));
        version(policy("apply", "--reason", "test", directory.toString()));
        assertThat(policy("show").out()).contains("# api.yaml\n").contains("# sms.yaml\npolicies:\n  sms:\n");
    }

    @Test
    void a_server_applies_what_is_written_and_what_is_rolled_back_and_needs_policies_to_start() throws Exception {
        CliRun early = CliRun.of("serve", "--port", "0", "--policies", "redis", "--redis", REDIS.url());
        assertThat(early.exitCode()).isEqualTo(1);
        CliRun down = CliRun.of("serve", "--port", "0", "--policies", "redis", "--redis", "redis://127.0.0.1:1");
        assertThat(down.exitCode()).isEqualTo(1);
        assertThat(down.err()).contains("not connected to Redis");
        CliRun status = policy("status");
        assertThat(status.exitCode()).isEqualTo(1);
        assertThat(status.out()).contains("current version: none").contains("no process reports");
        CliRun waited = policy("status", "--wait=0ms");
        assertThat(waited.exitCode()).isEqualTo(1);
        assertThat(waited.out().lines()).last().isEqualTo("waited 0 ms: no process reports");
        assertThat(policy("status", "--wait", "soon").err())
                .contains("\"soon\" is not a time from 0ms to 60m such as 250ms, 5s or 2m");
        assertThat(early.err()).contains("hg:config:policies: has no policies; write them with headgate policy apply");
        assertThat(CliRun.of("serve", "--port", "0", "--policies", "redis").err())
                .contains("--policies redis needs --redis");
        String first = version(apply(2));
        try (ServerProcess server =
                ServerProcess.start("serve", "--port", "0", "--policies", "redis", "--redis", REDIS.url())) {
            server.awaitLine("policies: version " + first + " of redis://127.0.0.1:[0-9]+ hg:config:policies");
            server.awaitLine("listening on (http://\\S+)");
            version(apply(10));
            server.awaitLine("policy api.per-user: raised from sliding-window 2 per 1h to sliding-window 10 per 1h");
            String third = version(policy("rollback", first, "--reason", "too many"));
            server.awaitLine("policies: version " + third + " of");
            server.awaitLine("policy api.per-user: lowered from sliding-window 10 per 1h to sliding-window 2 per 1h");
        }
        assertThat(policy("rollback", "7").err())
                .contains("there is no version \"7\"")
                .contains("Nothing was changed");
        version(policy("rollback", "2"));
        assertThat(policy("history", "--limit", "1").out()).contains("roll back to 2");
    }
}
