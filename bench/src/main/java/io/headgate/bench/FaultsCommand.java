package io.headgate.bench;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headgate bench faults}: what becomes of limits while everything is done to Redis that can be. */
@Command(
        name = "faults",
        description = {
            "Has four instances ask for one limit while a real Redis, or a proxy before it, is brought into trouble, and says what"
                    + " they were answered, how much was admitted, and when all was well again.",
            "It takes about six minutes a round, of which there are three, or one with --quick; and it means little on a machine that has no time for four instances."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "What it measures, and how to read it: docs/when-redis-fails.md"})
final class FaultsCommand implements Callable<Integer> {

    @Mixin
    private final Comparison comparison = new Comparison();

    @Option(
            names = "--only",
            paramLabel = "CASE",
            split = ",",
            description = "Only these: dead, or cases as they stand in the table, such as black-holed.")
    private List<String> only = List.of();

    @Override
    public Integer call() throws IOException {
        List<FaultCase> cases = comparison.chosen(() -> FaultCases.named(only));
        boolean dead = only.isEmpty() || only.contains(DeadRedisScenario.NAME);
        return comparison.run(
                arena -> dead
                        ? List.of(new FaultScenario(arena, cases), new DeadRedisScenario(arena))
                        : List.of(new FaultScenario(arena, cases)),
                FaultFigures.all(),
                FaultCases.absences());
    }
}
