package io.headgate.bench.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The selection of scenarios by name. */
class ScenariosTest {

    @Test
    void without_names_all_scenarios_are_selected() {
        assertThat(Scenarios.named(List.of())).containsExactly(Scenarios.values());
    }

    @Test
    void named_scenarios_are_selected_in_the_usual_order() {
        assertThat(Scenarios.named(List.of("memory", "spread"))).containsExactly(Scenarios.SPREAD, Scenarios.MEMORY);
    }

    @Test
    void the_help_lists_all_scenarios() {
        String help = new CommandLine(new LimitsCommand()).getUsageMessage().replaceAll("\\s+", " ");
        for (Scenarios scenario : Scenarios.values()) {
            assertThat(help)
                    .containsPattern(
                            "[ ,]" + scenario.name().toLowerCase(Locale.ROOT).replace('_', '-') + "[,.]");
        }
    }

    @Test
    void an_unknown_name_is_rejected() {
        assertThatThrownBy(() -> Scenarios.named(List.of("spread", "cold")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a scenario must be one of spread, hot, denied, coalesced, coalesced-hot, leased, flood, lone,"
                                + " hot-keys, hot-keys-denied, ban-rules, in-flight, memory, local-1, local-2, local-100k, local-bans, local-metrics, offered, was cold");
    }
}
