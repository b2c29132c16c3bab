package io.headgate.bench.queues;

import static io.headgate.bench.BenchProcess.readings;
import static io.headgate.bench.BenchProcess.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.bench.report.Figure;
import io.headgate.bench.report.Readings.Reading;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command with the shortest durations: it measures everything, and reports everything. */
class QueuesCommandIT {

    /** All subjects but BullMQ, which the command would have to install. */
    private static final List<String> SUBJECTS =
            List.of("headgate-queue", "headgate-worker", "bare-streams", "streams-one-by-one", "redisson");

    private static final List<String> COSTS =
            List.of("jobsPerSecond", "redisCpuMicros", "commands", "bytesIn", "bytesOut");

    private static final List<String> LATENCIES = List.of("p50Micros", "p99Micros");

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @Test
    void every_subject_is_measured_in_every_scenario_and_every_figure_is_printed() throws IOException {
        Path json = folder.resolve("readings.json");
        List<String> output = run(0, "queues", "--smoke", "--json", json.toString());

        Reading[] readings = readings(json);
        assertThat(readings).extracting(Reading::round).containsOnly(1);
        assertThat(readings).extracting(Reading::value).allMatch(Double::isFinite);
        assertThat(readings)
                .extracting(reading -> reading.scenario() + " " + reading.subject() + " " + reading.metric())
                .containsExactlyInAnyOrderElementsOf(expected());

        for (Figure figure : QueueFigures.all()) {
            assertThat(output).anyMatch(line -> line.strip().startsWith(figure.text()) && line.endsWith("met"));
        }
        assertThat(output).noneMatch(line -> line.contains(" figures not measured: "));
        assertThat(output).anyMatch(line -> line.startsWith("note: bullmq is left out: "));
        assertThat(output.get(output.size() - 1))
                .matches(
                        "headgate bench queues: \\d+ of \\d+ figures met, in \\d+:\\d\\d minutes; all readings are in .*");
    }

    private static List<String> expected() {
        List<String> all = new ArrayList<>();
        for (String scenario : List.of("enqueue", "enqueue-batch", "process", "process-one", "through")) {
            add(all, SUBJECTS, scenario, COSTS);
        }
        add(all, SUBJECTS, "enqueue", LATENCIES);
        add(all, SUBJECTS, "enqueue-batch", LATENCIES);
        List<String> withLatencies = SUBJECTS.stream()
                .filter(subject -> !subject.equals("headgate-worker"))
                .toList();
        add(all, withLatencies, "process", LATENCIES);
        add(all, withLatencies, "process-one", LATENCIES);
        add(all, SUBJECTS, "memory", List.of("bytesPerJob.delayed", "bytesPerJob.ready"));
        add(
                all,
                List.of("headgate-queue", "bare-streams"),
                "lateness",
                List.of("lateP50Micros", "lateP99Micros", "lateLeastMicros"));
        List<String> streamConsumers = List.of("headgate-stream", "bare-streams");
        add(all, streamConsumers, "stream-consumer", COSTS);
        add(all, streamConsumers, "stream-consumer", LATENCIES);
        add(
                all,
                List.of("delayed", "ready", "due-at-once", "expired", "payloads"),
                "large",
                List.of("jobsPerSecond", "longestCallMicros", "callsOver5Millis"));
        return all;
    }

    private static void add(List<String> all, List<String> subjects, String scenario, List<String> metrics) {
        for (String subject : subjects) {
            metrics.forEach(metric -> all.add(scenario + " " + subject + " " + metric));
        }
    }
}
