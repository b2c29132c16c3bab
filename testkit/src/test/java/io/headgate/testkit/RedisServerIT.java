package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.headgate.testkit.conditions.ServerVersionSensitive;
import io.headgate.testkit.internal.RedisUrl;
import io.headgate.testkit.internal.RespConnection;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@ServerVersionSensitive
class RedisServerIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final Properties before = (Properties) System.getProperties().clone();

    @AfterEach
    void restoreProperties() {
        System.setProperties(before);
    }

    @Test
    void a_started_server_answers_persists_nothing_and_listens_on_loopback_only() {
        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe probe = RedisProbe.of(redis.url())) {
            assertThat(redis.url()).isEqualTo("redis://127.0.0.1:" + redis.port());
            assertThat(redis.isOwn()).isTrue();
            assertThat(probe.command("PING")).isEqualTo("PONG");
            assertThat(probe.command("CONFIG", "GET", "save")).isEqualTo(List.of("save", ""));
            assertThat(probe.command("CONFIG", "GET", "appendonly")).isEqualTo(List.of("appendonly", "no"));
            assertThat(probe.command("CONFIG", "GET", "bind")).isEqualTo(List.of("bind", "127.0.0.1"));
        }
    }

    @Test
    void the_source_property_selects_the_embedded_redis() {
        System.setProperty(RedisBinary.SOURCE, "jar");

        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe probe = RedisProbe.of(redis.url())) {
            String version = probe.info("server").get("redis_version");
            assertThat(version).startsWith("6.2.");
            assertThat(redis.description()).isEqualTo("Redis " + version + " from the embedded jar");
        }
    }

    @Test
    void a_server_can_be_started_through_a_launcher(@TempDir Path folder) {
        Path launched = folder.resolve("launched");
        List<String> launcher = List.of("sh", "-c", "touch \"$0\"; exec \"$@\"", launched.toString());
        try (RedisServer redis = RedisServer.startOwnUnder(launcher, "--maxclients", "7");
                RedisProbe probe = RedisProbe.of(redis.url())) {
            assertThat(launched).exists();
            assertThat(probe.command("CONFIG", "GET", "maxclients")).isEqualTo(List.of("maxclients", "7"));
        }
    }

    @Test
    void closing_ends_the_server_and_deletes_its_files() {
        RedisServer redis = RedisServer.startOwn();
        Path folder;
        long processId;
        try (RedisProbe probe = RedisProbe.of(redis.url())) {
            folder = folder(probe);
            processId = processId(probe);
        }
        assertThat(folder).exists();

        redis.close();
        redis.close();

        assertThat(Files.exists(folder)).isFalse();
        assertThat(ProcessHandle.of(processId)).isEmpty();
    }

    @Test
    void a_killed_server_is_restarted_on_its_port_with_its_append_only_file() {
        try (RedisServer redis = RedisServer.startOwn("--appendonly", "yes", "--appendfsync", "always");
                RedisProbe probe = RedisProbe.of(redis.url())) {
            probe.command("SET", "kept", "yes");

            redis.kill();
            assertThatThrownBy(() -> probe.command("PING")).isInstanceOf(UncheckedIOException.class);
            redis.restart();

            assertThat(probe.command("GET", "kept")).isEqualTo("yes");
        }
    }

    @Test
    void a_running_server_is_restarted_too() {
        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe before = RedisProbe.of(redis.url());
                RedisProbe after = RedisProbe.of(redis.url())) {
            before.command("SET", "lost", "yes");

            redis.restart();

            assertThat(after.command("GET", "lost")).isNull();
        }
    }

    @Test
    void a_paused_server_answers_only_when_it_is_resumed() throws Exception {
        try (RedisServer redis = RedisServer.startOwn();
                RespConnection connection = RespConnection.open(RedisUrl.parse(redis.url()), LONG)) {
            assertThat(connection.call("PING")).isNotNull();

            redis.pause();
            connection.setTimeout(Duration.ofMillis(200));
            assertThatThrownBy(() -> connection.call("PING")).isInstanceOf(SocketTimeoutException.class);
            redis.resume();

            try (RedisProbe probe = RedisProbe.of(redis.url())) {
                assertThat(probe.command("PING")).isEqualTo("PONG");
            }
        }
    }

    @Test
    void a_paused_server_can_be_killed_restarted_and_closed() {
        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe probe = RedisProbe.of(redis.url())) {
            redis.pause();
            redis.restart();
            assertThat(probe.command("PING")).isEqualTo("PONG");
            redis.pause();
            redis.kill();
            redis.restart();
            redis.pause();
        }
    }

    @Test
    void a_given_server_is_used_and_never_stopped() {
        try (RedisServer redis = RedisServer.startOwn()) {
            System.setProperty(RedisServer.URL_PROPERTY, redis.url() + "/3");

            try (RedisServer given = RedisServer.start();
                    RedisProbe probe = RedisProbe.of(given.url())) {
                assertThat(given.port()).isEqualTo(redis.port());
                assertThat(given.description()).isEqualTo("Redis at " + redis.url() + "/3");
                assertThat(given.isOwn()).isFalse();
                assertThat(probe.command("PING")).isEqualTo("PONG");
                assertThatThrownBy(given::kill)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("can't be killed")
                        .hasMessageContaining("startOwn");
            }
            try (RedisProbe probe = RedisProbe.of(redis.url())) {
                assertThat(probe.command("PING")).isEqualTo("PONG");
            }
        }
    }

    @Test
    void a_server_with_a_password_is_ready_and_the_password_is_not_shown() {
        try (RedisServer redis = RedisServer.startOwn("--requirepass", "open sesame")) {
            String url = "redis://:open%20sesame@127.0.0.1:" + redis.port();
            try (RedisProbe probe = RedisProbe.of(url)) {
                assertThat(probe.command("PING")).isEqualTo("PONG");
            }
            System.setProperty(RedisServer.URL_PROPERTY, url);
            assertThat(RedisServer.start().description()).isEqualTo("Redis at " + redis.url());
        }
    }

    @Test
    void the_shared_server_is_a_single_one_that_closing_does_not_stop() {
        RedisServer shared = RedisServer.shared();
        shared.close();

        assertThat(RedisServer.shared()).isSameAs(shared);
        try (RedisProbe probe = RedisProbe.of(shared.url())) {
            assertThat(probe.command("PING")).isEqualTo("PONG");
        }
        assertThatThrownBy(shared::pause)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("shared");
    }

    @Test
    void a_jvm_that_ends_without_closing_leaves_nothing_behind() {
        try (ChildJvm child = ChildJvm.of(ChildMain.class).shortLived().start("redis")) {
            String url = child.awaitLine(line -> line.startsWith("redis://"), LONG);
            Path folder;
            long processId;
            try (RedisProbe probe = RedisProbe.of(url)) {
                folder = folder(probe);
                processId = processId(probe);
            }
            assertThat(folder).exists();

            child.send("exit 3");

            assertThat(child.awaitExit(LONG)).isEqualTo(3);
            assertThat(Files.exists(folder)).isFalse();
            assertThat(ProcessHandle.of(processId)).isEmpty();
        }
    }

    @Test
    void a_jvm_that_is_shutting_down_starts_no_server_and_leaves_no_files(@TempDir Path folder) throws Exception {
        try (ChildJvm child = ChildJvm.of(ChildMain.class)
                .shortLived()
                .jvmOptions("-Djava.io.tmpdir=" + folder)
                .start("redis-while-ending")) {
            assertThat(child.awaitLine(line -> line.startsWith("refused: "), LONG))
                    .contains("this JVM is shutting down");
            assertThat(child.nextLine(LONG)).contains("left: 0");
            assertThat(child.awaitExit(LONG)).isZero();
            try (Stream<Path> left = Files.list(folder)) {
                assertThat(left.filter(path -> !path.getFileName().toString().startsWith("hsperfdata")))
                        .isEmpty();
            }
        }
    }

    @Test
    void an_argument_that_redis_rejects_is_reported_with_its_output() {
        assertThatThrownBy(() -> RedisServer.startOwn("--no-such-option", "yes"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no-such-option")
                .hasMessageContaining("status 1");
    }

    private static Path folder(RedisProbe probe) {
        return probe.command("CONFIG", "GET", "dir") instanceof List<?> pair
                ? Path.of(String.valueOf(pair.get(1)))
                : fail("CONFIG GET replied no list");
    }

    private static long processId(RedisProbe probe) {
        return Long.parseLong(String.valueOf(probe.info("server").get("process_id")));
    }
}
