package io.headgate.bench;

import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headgate bench limits}: all limits, on Redis and in memory, beside their peers. */
@Command(
        name = "limits",
        description = {
            "Measures every limit on a Redis that it starts, and in memory, beside the peers in the same run, and says"
                    + " which of the figures to reach were met.",
            "It takes about twenty minutes. Other work on this machine shows in the figures, least in the ratios."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class LimitsCommand implements Callable<Integer> {

    @Option(names = "--quick", description = "Measure all of it, but for a shorter time: under five minutes.")
    private boolean quick;

    @Option(names = "--json", paramLabel = "FILE", description = "Write every reading to this file, too.")
    private Optional<Path> json = Optional.empty();

    @Option(names = "--smoke", hidden = true, description = "Only see that it runs.")
    private boolean smoke;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        Progress progress = new Progress(spec.commandLine().getErr());
        Readings readings = new Readings();
        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe probe = RedisProbe.of(redis.url())) {
            out.println(Environment.describe(redis));
            out.flush();
            Arena arena = new Arena(redis.url(), probe, pace());
            for (Scenario scenario : scenarios(arena)) {
                measure(scenario, readings, progress);
            }
        }
        progress.end();
        if (json.isPresent()) {
            readings.write(json.get());
        }
        Report report = new Report(readings, Figure.ofLimits(), out);
        report.print();
        out.println("headgate bench limits: " + report.summary() + ", in " + Progress.clock(progress.elapsed())
                + " minutes" + json.map(file -> "; all readings are in " + file).orElse(""));
        out.flush();
        return CommandLine.ExitCode.OK;
    }

    private Pace pace() {
        return smoke ? Pace.smoke() : quick ? Pace.quick() : Pace.full();
    }

    private static List<Scenario> scenarios(Arena arena) {
        return List.of(
                RedisScenario.spread(arena),
                RedisScenario.hot(arena),
                RedisScenario.denied(arena),
                new MemoryScenario(arena),
                LocalScenario.one(arena),
                LocalScenario.two(arena),
                LocalScenario.manyKeys(arena),
                new OfferedScenario(arena));
    }

    private static void measure(Scenario scenario, Readings readings, Progress progress) {
        progress.opening(scenario.name());
        try (Scenario.Turns turns = scenario.open()) {
            for (int round = 1; round <= scenario.rounds(); round++) {
                boolean first = true;
                for (String subject : scenario.subjects()) {
                    progress.turn(scenario.name(), round, scenario.rounds(), subject, first);
                    turns.take(subject, new Recorder(readings, scenario.name(), subject, round));
                    first = false;
                }
            }
        }
    }
}
