package io.headgate.bench.policies;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The benchmark of policies prints a value for each figure. */
class PoliciesCommandIT {

    @Test
    void it_loads_and_changes_policies_and_prints_its_figures() {
        StringWriter output = new StringWriter();
        CommandLine line = new CommandLine(new PoliciesCommand()).setOut(new PrintWriter(output));
        assertThat(line.execute("--count", "600")).isZero();
        // A heap may shrink here, as other tests use it, too.
        assertThat(output.toString().lines().skip(1)).hasSize(10).allSatisfy(figure -> assertThat(figure)
                .matches(" {2}\\S.* -?[0-9.]+ +(ms|MiB)"));
    }

    @Test
    void a_wrong_count_is_refused() {
        StringWriter errors = new StringWriter();
        CommandLine line = new CommandLine(new PoliciesCommand()).setErr(new PrintWriter(errors));
        assertThat(line.execute("--count", "0")).isEqualTo(2);
        assertThat(errors.toString()).startsWith("--count must be from 1 to 50000, was 0");
    }
}
