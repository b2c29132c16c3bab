package io.headgate.bench.faults;

import io.headgate.bench.run.Comparison;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headgate bench faults}: what becomes of limits and of jobs while everything is done to Redis that can be. */
@Command(
        name = "faults",
        description = {
            "Has four instances ask for one limit, and two applications enqueue and handle jobs, while a real Redis, or a proxy before"
                    + " it, is brought into trouble; and says what they were answered, how much was admitted, which jobs were"
                    + " lost or handled twice, and when all was well again. Then it kills servers, and prints what queues lose.",
            "It takes about ten minutes a round, of which there are three, or one with --quick; and it means little on a machine that has no time for four instances."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "What it measures, and how to read it: docs/benchmarks.md"})
public final class FaultsCommand implements Callable<Integer> {

    @Mixin
    private final Comparison comparison = new Comparison();

    @Option(
            names = "--only",
            paramLabel = "CASE",
            split = ",",
            description =
                    "Only these: limits, dead, jobs or losses for one of the tables, or cases as they stand in it, such as black-holed.")
    private List<String> only = List.of();

    @Override
    public Integer call() throws IOException {
        FaultChoice choice =
                comparison.chosen(() -> List.of(FaultChoice.of(only))).get(0);
        return comparison.run(
                arena -> scenarios(arena, choice),
                List.of(new LossMatrix(choice.losses())),
                FaultFigures.all(),
                FaultCases.absences());
    }

    private static List<Scenario> scenarios(Arena arena, FaultChoice choice) {
        List<Scenario> scenarios = new ArrayList<>();
        if (!choice.limits().isEmpty()) {
            scenarios.add(FaultScenario.of(arena, choice.limits()));
        }
        if (choice.dead()) {
            scenarios.add(new DeadRedisScenario(arena));
        }
        if (!choice.jobs().isEmpty()) {
            scenarios.add(JobFaultScenario.of(arena, choice.jobs()));
        }
        if (!choice.losses().isEmpty()) {
            scenarios.add(LossScenario.of(arena, choice.losses()));
        }
        return scenarios;
    }
}
