package io.headgate.bench.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Mistakes in the command line are reported before anything is started. */
class WebCommandTest {

    private final StringWriter errors = new StringWriter();

    private int run(String... arguments) {
        return new CommandLine(new WebCommand()).setErr(new PrintWriter(errors)).execute(arguments);
    }

    @Test
    void without_the_applications_that_the_launcher_builds_nothing_is_measured() {
        assertThat(run("--smoke")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(errors.toString()).contains("start the benchmark with ./headgate bench web");
    }

    @Test
    void an_unknown_scenario_is_reported_with_the_known_ones() {
        assertThat(run("--only", "servlet")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(errors.toString()).contains("a scenario must be one of controller, gateway, was servlet");
    }
}
