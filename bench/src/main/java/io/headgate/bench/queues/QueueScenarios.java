package io.headgate.bench.queues;

import io.headgate.bench.peers.QueueSubject;
import io.headgate.bench.run.Choice;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import java.util.List;

/** All scenarios of the queues, in the order in which they are measured. */
enum QueueScenarios {
    ENQUEUE("enqueue"),
    ENQUEUE_BATCH("enqueue-batch"),
    PROCESS("process"),
    PROCESS_ONE("process-one"),
    THROUGH("through"),
    MEMORY("memory"),
    LATENESS("lateness"),
    STREAM_CONSUMER("stream-consumer"),
    LARGE("large");

    private final String label;

    QueueScenarios(String label) {
        this.label = label;
    }

    /** Creates the scenario. */
    Scenario in(Arena arena, List<QueueSubject> subjects) {
        return switch (this) {
            case ENQUEUE -> QueueScenario.enqueue(label, arena, subjects);
            case ENQUEUE_BATCH -> QueueScenario.enqueueBatch(label, arena, subjects);
            case PROCESS -> QueueScenario.process(label, arena, subjects);
            case PROCESS_ONE -> QueueScenario.processOne(label, arena, subjects);
            case THROUGH -> QueueScenario.through(label, arena, subjects);
            case MEMORY -> new QueueMemoryScenario(label, arena, subjects);
            case LATENESS -> new LatenessScenario(label, arena);
            case STREAM_CONSUMER -> QueueScenario.process(label, arena, QueueSubjects.streams());
            case LARGE -> new LargeQueueScenario(label, arena);
        };
    }

    /**
     * The scenarios with these names, or all if there are no names.
     *
     * @throws IllegalArgumentException when no scenario has one of the names
     */
    static List<QueueScenarios> named(List<String> labels) {
        return Choice.of(values(), scenario -> scenario.label, labels);
    }
}
