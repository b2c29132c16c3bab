package io.headgate.bench.hostile;

import io.headgate.bench.report.Figure;
import io.headgate.bench.run.Comparison;
import io.headgate.testkit.hostile.Attack;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headgate bench hostile}: the memory of a server, and the requests of another client, during attacks of hostile clients. */
@Command(
        name = "hostile",
        description = {
            "Starts a server with a heap of 256 MB, attacks it in one way after another, and prints the memory of its process early"
                    + " in each attack and at its end, and how many requests of a second client were lost.",
            "Each attack takes a minute, or 20 seconds with --quick."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "What it measures, and how to read it: docs/benchmarks.md"})
public final class HostileCommand implements Callable<Integer> {

    @Mixin
    private final Comparison comparison = new Comparison();

    @Option(
            names = "--only",
            paramLabel = "ATTACK",
            split = ",",
            description = "Run only these attacks, by their names in the table, such as pipelined-pages.")
    private List<String> only = List.of();

    @Override
    public Integer call() throws IOException {
        List<Attack> attacks = comparison.chosen(this::attacks);
        List<Figure> figures = new ArrayList<>();
        attacks.forEach(attack -> figures.addAll(HostileScenario.figures(attack)));
        return comparison.run(arena -> List.of(new HostileScenario(arena, attacks)), figures, List.of());
    }

    private List<Attack> attacks() {
        if (only.isEmpty()) {
            return List.of(Attack.values());
        }
        return only.stream()
                .map(name -> Stream.of(Attack.values())
                        .filter(attack -> HostileScenario.subject(attack).equals(name))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException("there is no attack " + name + "; there are "
                                + String.join(
                                        ", ",
                                        Stream.of(Attack.values())
                                                .map(HostileScenario::subject)
                                                .toList()))))
                .toList();
    }
}
