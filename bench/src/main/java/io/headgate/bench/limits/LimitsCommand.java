package io.headgate.bench.limits;

import io.headgate.bench.run.Comparison;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headgate bench limits}: limits on Redis, and a token bucket in memory, beside their peers. */
@Command(
        name = "limits",
        description = {
            "Measures every limit but the calendar window on a Redis that it starts, and a token bucket in memory,"
                    + " beside the peers in the same run, and reports which target figures were met.",
            "It takes about a quarter of an hour. Other work on this machine affects the figures, the ratios least."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "What it measures, and how to read it: docs/benchmarks.md"})
public final class LimitsCommand implements Callable<Integer> {

    @Mixin
    private final Comparison comparison = new Comparison();

    @Option(
            names = "--only",
            paramLabel = "SCENARIO",
            split = ",",
            description =
                    "Measure only these: spread, hot, denied, coalesced, coalesced-hot, leased, flood, lone, hot-keys,"
                            + " hot-keys-denied, ban-rules, in-flight, memory, local-1, local-2, local-100k, local-bans, local-metrics, offered.")
    private List<String> only = List.of();

    @Override
    public Integer call() throws IOException {
        List<Scenarios> scenarios = comparison.chosen(() -> Scenarios.named(only));
        return comparison.run(
                arena -> scenarios.stream().map(scenario -> scenario.in(arena)).toList(),
                LimitFigures.all(),
                List.of());
    }
}
