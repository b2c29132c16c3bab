package io.headgate.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.internal.Processes;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The choice of the Redis program. Shell scripts take the place of real programs, because only their versions are read. */
class RedisBinaryTest {

    private final Path folder;
    private final Properties before = (Properties) System.getProperties().clone();

    RedisBinaryTest(@TempDir Path folder) {
        this.folder = folder;
    }

    @AfterEach
    void restoreProperties() {
        System.setProperties(before);
    }

    @Test
    void the_first_folder_on_the_path_with_redis_or_valkey_is_used() throws Exception {
        Path empty = Files.createDirectory(folder.resolve("empty"));
        Path one = Files.createDirectory(folder.resolve("one"));
        Path two = Files.createDirectory(folder.resolve("two"));
        program(one.resolve("valkey-server"), "echo 'Valkey server v=8.0.1 sha=0 bits=64'");
        program(two.resolve("redis-server"), "echo 'Redis server v=7.4.2 sha=0 bits=64'");
        Files.writeString(empty.resolve("redis-server"), "not executable");

        assertThat(RedisBinary.fromPath(path(empty, one, two)))
                .contains(new RedisBinary(one.resolve("valkey-server"), "valkey-server 8.0.1 from PATH"));
        assertThat(RedisBinary.fromPath(path(two, one)))
                .contains(new RedisBinary(two.resolve("redis-server"), "redis-server 7.4.2 from PATH"));
        assertThat(RedisBinary.fromPath(path(empty))).isEmpty();
        assertThat(RedisBinary.fromPath("")).isEmpty();
    }

    @Test
    void a_program_that_cannot_run_is_reported_with_its_output_and_what_to_install() throws Exception {
        program(
                folder.resolve("redis-server"),
                "echo 'error while loading shared libraries: libssl.so.3' >&2; exit 127");

        assertThatThrownBy(() -> RedisBinary.fromPath(path(folder)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("libssl.so.3")
                .hasMessageContaining("apt-get install redis-server");
    }

    @Test
    @Timeout(60)
    void a_program_that_prints_nothing_and_does_not_end_is_killed_and_reported() throws Exception {
        program(folder.resolve("redis-server"), "sleep 600");

        assertThatThrownBy(() -> RedisBinary.fromPath(path(folder), Duration.ofSeconds(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("did not answer --version within PT1S")
                .hasMessageContaining("apt-get install redis-server");
        assertThat(ProcessHandle.current()
                        .descendants()
                        .filter(one -> one.info().commandLine().orElse("").contains(folder.toString())))
                .allMatch(Processes::isGone);
    }

    @Test
    void the_error_suggests_the_url_property_only_if_a_given_redis_can_be_used() {
        System.setProperty(RedisBinary.SOURCE, "jar");
        System.setProperty("os.name", "Windows 11");
        System.clearProperty(RedisServer.URL_PROPERTY);

        assertThatThrownBy(RedisServer::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("apt-get install redis-server")
                .hasMessageContaining("-D" + RedisServer.URL_PROPERTY + "=redis://host:port");
        assertThatThrownBy(RedisServer::startOwn)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("apt-get install redis-server")
                .hasMessageNotContaining(RedisServer.URL_PROPERTY);
    }

    @Test
    void a_program_for_another_machine_is_reported_with_what_to_install() throws Exception {
        Path program = Files.write(folder.resolve("redis-server"), new byte[] {0x7f, 'E', 'L', 'F', 9, 9, 9});
        assertThat(program.toFile().setExecutable(true)).isTrue();

        assertThatThrownBy(() -> RedisBinary.fromPath(path(folder)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("does not run on this machine")
                .hasMessageContaining("apt-get install redis-server");
    }

    @ParameterizedTest
    @CsvSource({"Linux, amd64", "Linux, aarch64", "Mac OS X, x86_64", "Mac OS X, aarch64"})
    void the_embedded_jar_has_a_redis_for_common_machines(String os, String architecture) {
        assertThat(RedisBinary.resource(os, architecture)).hasValueSatisfying(resource -> assertThat(
                        RedisBinary.class.getClassLoader().getResource(resource))
                .isNotNull());
    }

    @Test
    void the_embedded_jar_has_none_for_other_machines() {
        assertThat(RedisBinary.resource("Windows 11", "amd64")).isEmpty();
        assertThat(RedisBinary.resource("Linux", "riscv64")).isEmpty();
    }

    @Test
    void an_unknown_source_is_rejected() {
        System.setProperty(RedisBinary.SOURCE, "docker");

        assertThatThrownBy(() -> RedisBinary.find(folder))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(RedisBinary.SOURCE + " must be path or jar, was \"docker\"");
    }

    private static void program(Path file, String... script) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + String.join("\n", script) + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private static String path(Path... folders) {
        return String.join(
                File.pathSeparator,
                List.of(folders).stream().map(Path::toString).toList());
    }
}
