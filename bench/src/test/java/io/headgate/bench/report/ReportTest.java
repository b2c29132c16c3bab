package io.headgate.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.bench.report.Figure.Reach;
import io.headgate.bench.report.Readings.Recorder;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Figures are computed from readings, and printed with a verdict. */
class ReportTest {

    private final Readings readings = new Readings();

    @Test
    void a_ratio_is_the_median_of_the_ratios_within_each_round() {
        rounds("ours", 1, 30, 2);
        rounds("peer", 2, 10, 8);

        // The ratios are 0.5, 3 and 0.25; the ratio of the medians would be 2 / 8.
        assertThat(Measure.ratio("spread", "cost", "ours", "peer").in(readings)).hasValue(0.5);
    }

    @Test
    void a_ratio_to_several_peers_takes_the_greatest_reading_of_each_round() {
        rounds("ours", 12, 12, 12);
        rounds("slow", 1, 24, 1);
        rounds("fast", 6, 3, 4);

        assertThat(Measure.ratio("spread", "cost", "ours", "slow", "fast").in(readings))
                .hasValue(2);
    }

    @Test
    void a_difference_is_the_median_of_the_differences_within_each_round() {
        rounds("ours", 5, 30, 2);
        rounds("peer", 2, 10, 4);

        assertThat(Measure.difference("spread", "cost", "ours", "peer").in(readings))
                .hasValue(3);
    }

    @Test
    void the_least_is_the_minimum_over_all_rounds_which_a_median_would_hide() {
        rounds("ours", 5, -1, 2);

        assertThat(Measure.least("spread", "cost", "ours").in(readings)).hasValue(-1);
    }

    @Test
    void a_bound_may_be_met_exactly() {
        assertThat(Reach.atLeast(1.5).isMetBy(1.5)).isTrue();
        assertThat(Reach.atLeast(1.5).isMetBy(1.49)).isFalse();
        assertThat(Reach.atLeast(1.5)).hasToString(">= 1.50");
    }

    @Test
    void a_ratio_without_a_reading_of_the_peer_is_empty() {
        rounds("ours", 12);

        assertThat(Measure.ratio("spread", "cost", "ours", "peer").in(readings)).isEmpty();
    }

    @Test
    void a_scenario_is_a_table_of_medians_and_each_figure_has_a_verdict() {
        rounds("ours", 1, 3, 2);
        rounds("peer", 4, 1234, 4000);
        readings.note("spread, peer, round 2: 1 of 9 failed");

        assertThat(printed(
                        new Figure("ours", Measure.of("spread", "cost", "ours"), Reach.atMost(2)),
                        new Figure("peer", Measure.of("spread", "cost", "peer"), Reach.moreThan(1234)),
                        new Figure("other", Measure.of("spread", "cost", "other"), Reach.atMost(0.75))))
                .containsExactly(
                        "",
                        "spread, medians of 3 rounds",
                        "  subject   cost",
                        "  ours         2",
                        "  peer     1 234",
                        "",
                        "figures, ratios taken within each round",
                        "  figure  measured    reach  verdict",
                        "  ours           2     <= 2      met",
                        "  peer       1 234  > 1 234  not met",
                        "1 of 3 figures not measured: other",
                        "",
                        "note: spread, peer, round 2: 1 of 9 failed",
                        "",
                        "1 of 3 figures met");
    }

    @Test
    void figures_without_readings_are_listed_in_one_line() {
        rounds("ours", 1);
        Figure other = new Figure("other", Measure.of("spread", "cost", "other"), Reach.atMost(0.75));
        Figure another = new Figure("another", Measure.of("spread", "cost", "another"), Reach.atMost(0.75));
        assertThat(printed(other, another))
                .doesNotContain("figures, ratios taken within each round")
                .containsOnlyOnce("2 of 2 figures not measured: other; another");
    }

    private void rounds(String subject, double... values) {
        for (int i = 0; i < values.length; i++) {
            new Recorder(readings, "spread", subject, i + 1).add("cost", values[i]);
        }
    }

    private List<String> printed(Figure... figures) {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        Report report = new Report(readings, List.of(), List.of(figures), out);
        report.print();
        out.println(report.summary());
        return text.toString().lines().toList();
    }
}
