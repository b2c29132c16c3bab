package io.headgate.bench.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.bench.report.Metrics;
import io.headgate.bench.report.Readings;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.report.Report;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The figures compare within rounds, and what a limit adds is what remains without the application itself. */
class WebFiguresTest {

    private final Readings readings = new Readings();

    private void round(int round, String scenario, String subject, double cpuMicros) {
        new Recorder(readings, scenario, subject, round).add(Metrics.APP_CPU_MICROS, cpuMicros);
    }

    private List<String> report() {
        StringWriter text = new StringWriter();
        new Report(readings, WebFigures.overviews(), WebFigures.all(), new PrintWriter(text)).print();
        return text.toString().lines().map(String::strip).toList();
    }

    @Test
    void what_headgate_adds_is_divided_by_what_the_peer_adds() {
        // The second round is disturbed: all take ten times longer.
        for (int round = 1; round <= 3; round++) {
            double factor = round == 2 ? 10 : 1;
            round(round, "controller", WebSubjects.NONE, factor * 100);
            round(round, "controller", WebSubjects.MEMORY, factor * 102);
            round(round, "controller", WebSubjects.REDIS, factor * 140);
            round(round, "controller", WebSubjects.BUCKET4J, factor * 180);
        }
        assertThat(report())
                .contains("controller, in memory: CPU of a request : no filter      1.02  <= 1.03      met")
                .contains("controller, on Redis: CPU added : Bucket4j starter       0.50  <= 0.83      met");
    }

    @Test
    void the_overview_has_the_ratio_to_no_limit_with_its_quartiles() {
        double[] ratios = {1.1, 1.2, 1.3, 1.4, 1.5};
        for (int round = 1; round <= ratios.length; round++) {
            round(round, "gateway", WebSubjects.NONE, 200);
            round(round, "gateway", WebSubjects.REDIS, ratios[round - 1] * 200);
        }
        assertThat(report()).anyMatch(line -> line.matches("headgate-redis +1\\.300 +1\\.200 +1\\.400 +60(\\.0)?"));
    }

    @Test
    void a_peer_that_was_left_out_leaves_its_figure_not_measured() {
        round(1, "gateway", WebSubjects.NONE, 100);
        round(1, "gateway", WebSubjects.REDIS, 150);
        assertThat(report())
                .anyMatch(line -> line.contains("figures not measured")
                        && line.contains("gateway, on Redis: CPU added : RequestRateLimiter"));
    }
}
