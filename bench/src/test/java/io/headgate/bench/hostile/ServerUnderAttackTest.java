package io.headgate.bench.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that does not start leaves no process and no file behind. */
class ServerUnderAttackTest {

    /** A launcher that writes its process id and its arguments, prints a line, and then runs a command of the shell. */
    private static Path launcher(Path folder, String command) throws IOException {
        String script = """
                #!/bin/sh
                echo $$ > '%1$s/pid'
                echo "$3" > '%1$s/policies'
                echo 'no port here'
                %2$s
                """.formatted(folder, command);
        Path launcher = Files.writeString(folder.resolve("launcher"), script);
        return Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
    }

    @ParameterizedTest
    @CsvSource({
        "exit 1, PT10M", // ends
        "exec sleep 600 > /dev/null 2>&1, PT10M", // ends its output
        "exec sleep 600, PT0.2S" // is silent
    })
    void a_server_that_prints_no_port_is_stopped_and_its_policies_are_deleted(
            String command, Duration startTime, @TempDir Path folder) throws IOException {
        String launcher = launcher(folder, command).toString();
        assertThatThrownBy(() -> ServerUnderAttack.start(launcher, startTime))
                .isInstanceOf(UncheckedIOException.class)
                .cause()
                .hasMessageContaining("did not start");
        long pid = Long.parseLong(Files.readString(folder.resolve("pid")).strip());
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
        List<String> policies = Files.readAllLines(folder.resolve("policies"));
        assertThat(policies).singleElement().satisfies(file -> assertThat(Path.of(file))
                .doesNotExist());
    }
}
