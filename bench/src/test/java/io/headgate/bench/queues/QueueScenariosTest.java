package io.headgate.bench.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The selection of queue scenarios by name. */
class QueueScenariosTest {

    @Test
    void without_names_all_scenarios_are_selected() {
        assertThat(QueueScenarios.named(List.of())).containsExactly(QueueScenarios.values());
    }

    @Test
    void named_scenarios_are_selected_in_the_usual_order() {
        assertThat(QueueScenarios.named(List.of("memory", "enqueue")))
                .containsExactly(QueueScenarios.ENQUEUE, QueueScenarios.MEMORY);
    }

    @Test
    void an_unknown_name_is_rejected() {
        assertThatThrownBy(() -> QueueScenarios.named(List.of("process", "spread")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a scenario must be one of enqueue, enqueue-batch, process, process-one, through, memory,"
                        + " lateness, stream-consumer, large, was spread");
    }
}
