package io.headgate.bench.queues;

import io.headgate.bench.peers.BullMq;
import io.headgate.bench.peers.QueueSubject;
import io.headgate.bench.run.Comparison;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headgate bench queues}: queues on Redis beside their peers. */
@Command(
        name = "queues",
        description = {
            "Measures queues on a Redis that it starts, beside the peers in the same run, and reports which target figures"
                    + " were met.",
            "It takes about ten minutes. Other work on this machine affects the figures, the ratios least."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "What it measures, and how to read it: docs/benchmarks.md"})
public final class QueuesCommand implements Callable<Integer> {

    @Mixin
    private final Comparison comparison = new Comparison();

    @Option(
            names = "--only",
            paramLabel = "SCENARIO",
            split = ",",
            description = "Measure only these: enqueue, enqueue-batch, process, process-one, through, memory, lateness,"
                    + " stream-consumer, large.")
    private List<String> only = List.of();

    @Override
    public Integer call() throws IOException {
        List<QueueScenarios> scenarios = comparison.chosen(() -> QueueScenarios.named(only));
        BullMq.Found bullMq = BullMq.find();
        List<QueueSubject> subjects = Stream.concat(QueueSubjects.all().stream(), bullMq.subject().stream())
                .toList();
        return comparison.run(
                arena -> scenarios.stream()
                        .map(scenario -> scenario.in(arena, subjects))
                        .toList(),
                QueueFigures.all(),
                bullMq.absence().stream().toList());
    }
}
