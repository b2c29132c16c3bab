package io.headgate.bench.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Which scenarios of queues are measured. */
class QueueScenariosTest {

    @Test
    void without_names_all_are_measured() {
        assertThat(QueueScenarios.named(List.of())).containsExactly(QueueScenarios.values());
    }

    @Test
    void named_ones_are_measured_in_the_usual_order() {
        assertThat(QueueScenarios.named(List.of("memory", "enqueue")))
                .containsExactly(QueueScenarios.ENQUEUE, QueueScenarios.MEMORY);
    }

    @Test
    void a_name_of_none_is_refused() {
        assertThatThrownBy(() -> QueueScenarios.named(List.of("process", "spread")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a scenario must be one of enqueue, enqueue-batch, process, process-one, through, memory,"
                        + " lateness, stream-consumer, large, was spread");
    }
}
