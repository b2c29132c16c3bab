package io.headgate.bench.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Which scenarios are measured. */
class ScenariosTest {

    @Test
    void without_names_all_are_measured() {
        assertThat(Scenarios.named(List.of())).containsExactly(Scenarios.values());
    }

    @Test
    void named_ones_are_measured_in_the_usual_order() {
        assertThat(Scenarios.named(List.of("memory", "spread"))).containsExactly(Scenarios.SPREAD, Scenarios.MEMORY);
    }

    @Test
    void the_help_names_all_of_them() {
        String help = new CommandLine(new LimitsCommand()).getUsageMessage().replaceAll("\\s+", " ");
        for (Scenarios scenario : Scenarios.values()) {
            assertThat(help)
                    .containsPattern(
                            "[ ,]" + scenario.name().toLowerCase(Locale.ROOT).replace('_', '-') + "[,.]");
        }
    }

    @Test
    void a_name_of_none_is_refused() {
        assertThatThrownBy(() -> Scenarios.named(List.of("spread", "cold")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a scenario must be one of spread, hot, denied, coalesced, coalesced-hot, leased, flood, lone,"
                                + " hot-keys, hot-keys-denied, in-flight, memory, local-1, local-2, local-100k, offered, was cold");
    }
}
