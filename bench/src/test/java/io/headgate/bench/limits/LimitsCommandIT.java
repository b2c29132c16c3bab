package io.headgate.bench.limits;

import static io.headgate.bench.BenchProcess.readings;
import static io.headgate.bench.BenchProcess.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.bench.report.Figure;
import io.headgate.bench.report.Readings.Reading;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command with the shortest durations: it measures everything, and reports everything. */
class LimitsCommandIT {

    private static final List<String> ALGORITHMS = List.of(
            "headgate-fixed-window",
            "headgate-sliding-window",
            "headgate-sliding-counter",
            "headgate-token-bucket",
            "headgate-leaky-bucket");
    private static final List<String> ON_REDIS =
            with(ALGORITHMS, "floor-get", "floor-evalsha", "sorted-set", "bucket4j", "bucket4j-batching", "redisson");
    private static final List<String> COALESCED =
            List.of("headgate-sliding-window-coalesced", "headgate-token-bucket-coalesced");
    private static final List<String> REDIS_METRICS = List.of(
            "decisionsPerSecond",
            "redisCpuMicros",
            "callsPerSecond",
            "commands",
            "roundTrips",
            "bytesIn",
            "bytesOut",
            "p50Micros",
            "p99Micros");
    private static final List<String> LOCAL =
            List.of("headgate-token-bucket", "bucket4j", "resilience4j", "guava", "floor-clock");

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @Test
    void every_subject_is_measured_in_every_scenario_and_every_figure_is_printed() throws IOException {
        Path json = folder.resolve("readings.json");
        List<String> output = run(0, "limits", "--smoke", "--json", json.toString());

        Reading[] readings = readings(json);
        assertThat(readings).extracting(Reading::round).containsOnly(1);
        assertThat(readings).extracting(Reading::value).allMatch(Double::isFinite);
        assertThat(named(readings)).containsExactlyInAnyOrderElementsOf(expected());

        for (Figure figure : LimitFigures.all()) {
            assertThat(output).anyMatch(line -> line.strip().startsWith(figure.text()) && line.endsWith("met"));
        }
        for (Reading reading : readings) {
            assertThat(output).anyMatch(line -> line.startsWith(reading.scenario() + ", one round"));
            assertThat(output).anyMatch(line -> line.startsWith("  " + reading.subject() + " "));
        }
        assertThat(output.get(output.size() - 1))
                .matches(
                        "headgate bench limits: \\d+ of \\d+ figures met, in \\d+:\\d\\d minutes; all readings are in .*");
    }

    private static Set<String> named(Reading... readings) {
        Set<String> named = new LinkedHashSet<>();
        for (Reading reading : readings) {
            assertThat(named.add(reading.scenario() + " " + reading.subject() + " " + reading.metric()))
                    .isTrue();
        }
        return named;
    }

    private static List<String> expected() {
        List<String> all = new ArrayList<>();
        add(all, "spread", with(ON_REDIS, "headgate-four-rules", "headgate-four-calls"), REDIS_METRICS);
        add(all, "hot", ON_REDIS, REDIS_METRICS);
        add(all, "denied", ON_REDIS, REDIS_METRICS);
        add(all, "coalesced", with(COALESCED, "floor-get", "floor-evalsha"), REDIS_METRICS);
        add(all, "coalesced-hot", with(COALESCED, "bucket4j-batching"), REDIS_METRICS);
        add(
                all,
                "leased",
                List.of("headgate-token-bucket-coalesced", "headgate-token-bucket-leased", "bucket4j-batching"),
                REDIS_METRICS);
        add(all, "flood", with(COALESCED, "bucket4j-batching"), REDIS_METRICS);
        add(all, "lone", with(COALESCED, "headgate-sliding-window", "headgate-token-bucket"), REDIS_METRICS);
        for (String scenario : List.of("hot-keys", "hot-keys-denied")) {
            add(
                    all,
                    scenario,
                    List.of("headgate-sliding-window-coalesced", "headgate-sliding-window-hot-keys"),
                    REDIS_METRICS);
        }
        add(
                all,
                "ban-rules",
                List.of(
                        "headgate-sliding-window",
                        "headgate-sliding-window-banning",
                        "headgate-token-bucket",
                        "headgate-token-bucket-banning"),
                REDIS_METRICS);
        add(
                all,
                "in-flight",
                List.of("floor-evalsha-twice", "redisson-semaphore", "headgate-in-flight"),
                REDIS_METRICS);
        add(
                all,
                "memory",
                with(ALGORITHMS, "sorted-set", "bucket4j", "redisson"),
                List.of("bytesPerKey.100", "bytesPerKey.1000", "bytesPerKey.10000"));
        add(all, "local-1", LOCAL, List.of("decisionsPerSecond"));
        add(all, "local-2", LOCAL, List.of("decisionsPerSecond"));
        add(all, "local-100k", LOCAL, List.of("decisionsPerSecond", "decisionsPerSecond.2"));
        add(
                all,
                "local-bans",
                List.of("floor-clock", "headgate-no-bans", "headgate-100000-bans"),
                List.of("decisionsPerSecond"));
        add(
                all,
                "local-metrics",
                List.of("headgate-token-bucket", "headgate-listener", "headgate-metrics"),
                List.of("decisionsPerSecond", "nanos", "allocatedBytes"));
        add(
                all,
                "offered",
                with(ALGORITHMS, "none"),
                List.of(
                        "decisionsPerSecond",
                        "p50Micros",
                        "p99Micros",
                        "appCpuMicros",
                        "appMemoryBytes",
                        "redisCpuMicros",
                        "redisMemoryBytes",
                        "allowed",
                        "denied",
                        "allowedByModel"));
        return all;
    }

    private static void add(List<String> all, String scenario, List<String> subjects, List<String> metrics) {
        for (String subject : subjects) {
            for (String metric : metrics) {
                all.add(scenario + " " + subject + " " + metric);
            }
        }
    }

    private static List<String> with(List<String> some, String... more) {
        return Stream.concat(some.stream(), Stream.of(more)).toList();
    }
}
