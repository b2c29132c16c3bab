package io.headgate.bench.faults;

import static io.headgate.bench.BenchProcess.readings;
import static io.headgate.bench.BenchProcess.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.bench.report.Figure;
import io.headgate.bench.report.Readings.Reading;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command with a few of its cases: guarantees that hold on any machine, and a complete report. */
class FaultsCommandIT {

    private static final List<String> CASES = List.of("black-holed", "killed", "OOM");

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @Test
    void no_exception_reaches_a_caller_and_everything_is_printed() throws IOException {
        Path json = folder.resolve("readings.json");
        List<String> output = run(
                0, "faults", "--smoke", "--only", "limits,dead," + String.join(",", CASES), "--json", json.toString());

        Reading[] readings = readings(json);
        for (String exceptions : List.of(FaultScenario.EXCEPTIONS, HoldCallers.HOLD_EXCEPTIONS)) {
            assertThat(readings)
                    .filteredOn(one -> one.metric().equals(exceptions))
                    .hasSize(CASES.size())
                    .allMatch(one -> one.value() == 0);
        }
        assertThat(readings)
                .filteredOn(one -> one.metric().equals(FaultScenario.BY_SHARE))
                .hasSize(CASES.size())
                .allMatch(one -> one.value() > 0);
        for (Figure figure : FaultFigures.ofLimits()) {
            assertThat(output).anyMatch(line -> line.strip().startsWith(figure.text()) && line.endsWith("met"));
        }
        for (String one : CASES) {
            assertThat(output).anyMatch(line -> line.startsWith("  " + one + " "));
        }
    }

    @Test
    void no_job_is_lost_by_a_redis_that_syncs_its_file_always_and_the_matrix_is_printed() throws IOException {
        Path json = folder.resolve("readings.json");
        List<String> output = run(
                0, "faults", "--smoke", "--only", "jobs,killed," + LossCase.SYNCED_ALWAYS, "--json", json.toString());

        Reading[] readings = readings(json);
        assertThat(readings)
                .filteredOn(one -> one.metric().equals(JobTrial.ANSWERED))
                .hasSizeGreaterThanOrEqualTo(2)
                .allMatch(one -> one.value() > 0);
        for (String never : List.of(JobTrial.LOST, JobTrial.BACK_AFTER_ACK)) {
            assertThat(readings)
                    .filteredOn(one -> one.metric().equals(never))
                    .hasSizeGreaterThanOrEqualTo(2)
                    .allMatch(one -> one.value() == 0);
        }
        assertThat(output)
                .anyMatch(line -> line.startsWith("  " + LossCase.SYNCED_ALWAYS + " ") && line.contains(" 0 of "))
                .anyMatch(line -> line.contains("append-only file with fsync always") && line.endsWith(" met"));
    }

    @Test
    void an_unknown_case_is_rejected() {
        assertThat(run(2, "faults", "--only", "moon")).noneMatch(line -> line.contains("figures met"));
    }
}
