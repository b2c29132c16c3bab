package io.headgate.server.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.ServerProcess;
import io.headgate.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code headgate demo} that fails or is stopped during its start. */
@DisabledOnOs(OS.WINDOWS)
class DemoStartIT {

    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @Test
    void a_signal_while_redis_starts_exits_with_0_and_leaves_no_process_or_file() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        Path pid = folder.resolve("pid");
        Path redis = Files.writeString(folder.resolve("redis-server"), """
                #!/bin/sh
                if [ "$1" = --version ]; then echo "Redis server v=7.4.2"; exit; fi
                echo $$ >"%1$s.new"; mv "%1$s.new" "%1$s"
                exec sleep 600
                """.formatted(pid));
        assertThat(redis.toFile().setExecutable(true)).isTrue();
        Map<String, String> environment = Map.of("PATH", folder + ":" + System.getenv("PATH"));

        try (ServerProcess demo =
                ServerProcess.start(List.of("-Djava.io.tmpdir=" + temporary), environment, "demo", "--port", "0")) {
            Await.until("its Redis", LONG, () -> Files.exists(pid));
            demo.terminate();

            assertThat(demo.awaitExit()).isZero();
            demo.awaitLine("stopped$");
            assertThat(demo.output()).containsExactly("headgate demo: ended; its server and its Redis are stopped");
        }
        assertThat(processOf(pid)).isEmpty();
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void a_missing_folder_for_temporary_files_exits_with_1_and_is_named() throws Exception {
        Path missing = folder.resolve("missing");

        try (ServerProcess demo = ServerProcess.start(List.of("-Djava.io.tmpdir=" + missing), Map.of(), "demo")) {
            assertThat(demo.awaitExit()).isEqualTo(1);
            demo.awaitLine("headgate: can't write to the folder for temporary files, " + missing + "; ");
            assertThat(String.join("\n", demo.output())).doesNotContain("Exception", "\tat ");
        }
    }

    private static Optional<ProcessHandle> processOf(Path pid) throws IOException {
        return ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).filter(ProcessHandle::isAlive);
    }
}
