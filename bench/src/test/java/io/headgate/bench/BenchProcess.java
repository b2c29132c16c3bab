package io.headgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.bench.report.Readings.Reading;
import io.headgate.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Runs {@code headgate bench} in a child JVM. */
public final class BenchProcess {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    /** The options of all JVMs of the command, which run for seconds only. */
    private static final String FAST_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData";

    private BenchProcess() {}

    /** Runs a command, requires its exit status, and returns its output. */
    public static List<String> run(int exit, String... arguments) {
        try (ChildJvm bench = ChildJvm.of(Main.class)
                .environment("JAVA_TOOL_OPTIONS", FAST_START)
                .start(arguments)) {
            List<String> output = bench.awaitOutput(TIMEOUT);
            assertThat(bench.awaitExit(TIMEOUT)).isEqualTo(exit);
            return output;
        }
    }

    /** Reads the readings that a command wrote. */
    public static Reading[] readings(Path json) throws IOException {
        return new ObjectMapper().readValue(json.toFile(), Reading[].class);
    }
}
