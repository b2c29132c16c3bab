package io.headgate.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.testkit.RedisServer;
import io.headgate.testkit.WrongClock;
import io.headgate.testkit.conditions.Requirement;
import io.headgate.testkit.conditions.Requires;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The doctor finds a Redis whose clock differs from this machine's, or stands still. Requires libfaketime. The test runs the Redis
 * that the test kit includes, because a Redis with the system's jemalloc does not start under libfaketime.
 */
@Requires(Requirement.LIBFAKETIME)
class DoctorClockIT {

    /**
     * Copies Redis in a process of its own, and runs the copy. Linux runs no program that this JVM, or one of its children, has open for
     * writing.
     */
    private static final String COPY_AND_RUN =
            "cp \"$1\" \"$1.run\" && chmod +x \"$1.run\" && program=$1.run && shift 2 && exec \"$program\" \"$@\"";

    private static final String EMBEDDED = System.getProperty("os.arch").equals("aarch64")
            ? "redis-server-6.2.7-linux-arm64"
            : "redis-server-6.2.6-v5-linux-amd64";

    private final Path folder;

    DoctorClockIT(@TempDir Path folder) {
        this.folder = folder;
    }

    @Test
    void a_clock_that_differs_is_a_note_with_its_consequence() throws IOException {
        try (RedisServer redis = startedAt("+90s")) {
            DoctorRun run = DoctorRun.of("--redis", redis.url());
            assertThat(run.exitCode()).isZero();
            assertThat(run.output())
                    .containsPattern("note     clock         runs, (8\\d|90)\\.\\d{3} s ahead of this machine's")
                    .contains("calendar windows end by Redis's clock");
        }
        try (RedisServer redis = startedAt("-1h")) {
            assertThat(DoctorRun.of("--redis", redis.url()).output())
                    .containsPattern("note     clock         runs, 36\\d\\d\\.\\d{3} s behind this machine's");
        }
    }

    @Test
    void a_clock_that_stands_still_is_a_problem() throws IOException {
        try (RedisServer redis = startedAt("2026-01-05 00:00:00")) {
            DoctorRun run = DoctorRun.of("--redis", redis.url());
            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.output())
                    .contains("problem  clock         it stood still or ran backwards between two reads");
            assertThat(run.lastLine()).startsWith("1 problem (clock), ");
        }
    }

    private RedisServer startedAt(String time) throws IOException {
        try (InputStream program = getClass().getClassLoader().getResourceAsStream(EMBEDDED)) {
            assertThat(program).as(EMBEDDED).isNotNull();
            Path copy = Files.createTempFile(folder, "redis-server", "");
            Files.copy(program, copy, StandardCopyOption.REPLACE_EXISTING);
            List<String> command = new ArrayList<>(WrongClock.command(time));
            command.addAll(List.of("sh", "-c", COPY_AND_RUN, "sh", copy.toString()));
            return RedisServer.startOwnUnder(command);
        }
    }
}
