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
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate bench limits}: all limits, on Redis and in memory, beside their peers. */
@Command(
        name = "limits",
        description = {
            "Measures every limit on a Redis that it starts, and in memory, beside the peers in the same run, and says"
                    + " which of the figures to reach were met.",
            "It takes about a quarter of an hour. Other work on this machine shows in the figures, least in the ratios."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {"", "What it measures, and how to read it: docs/benchmarks.md"})
final class LimitsCommand implements Callable<Integer> {

    @Option(names = "--quick", description = "Measure all of it, but for a shorter time: under five minutes.")
    private boolean quick;

    @Option(names = "--json", paramLabel = "FILE", description = "Write every reading to this file, too.")
    private Optional<Path> json = Optional.empty();

    @Option(
            names = "--only",
            paramLabel = "SCENARIO",
            split = ",",
            description = "Measure only these: spread, hot, denied, memory, local-1, local-2, local-100k, offered.")
    private List<String> only = List.of();

    @Option(names = "--smoke", hidden = true, description = "Only see that it runs.")
    private boolean smoke;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        List<Scenarios> scenarios = chosen();
        PrintWriter out = spec.commandLine().getOut();
        Progress progress = new Progress(spec.commandLine().getErr());
        Readings readings = new Readings();
        boolean complete = measure(scenarios, readings, progress, out);
        if (json.isPresent()) {
            readings.write(json.get());
        }
        Report report = new Report(readings, Figure.ofLimits(), out);
        report.print();
        out.println("headgate bench limits: " + report.summary() + ", in " + Progress.clock(progress.elapsed())
                + " minutes" + json.map(file -> "; all readings are in " + file).orElse(""));
        out.flush();
        return complete ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private List<Scenarios> chosen() {
        try {
            return Scenarios.named(only);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private Pace pace() {
        return smoke ? Pace.smoke() : quick ? Pace.quick() : Pace.full();
    }

    /** Answers whether all went to their end. */
    private boolean measure(List<Scenarios> scenarios, Readings readings, Progress progress, PrintWriter out) {
        try (RedisServer redis = RedisServer.startOwn();
                RedisAccess access = RedisAccess.to(redis.url());
                RedisProbe probe = RedisProbe.of(redis.url())) {
            out.println(Environment.describe(redis));
            out.flush();
            Arena arena = new Arena(access, probe, pace());
            boolean complete = true;
            for (Scenarios scenario : scenarios) {
                complete &= measure(scenario.in(arena), readings, progress);
            }
            return complete;
        } finally {
            progress.end();
        }
    }

    /** What was measured until then is kept when something fails, such as a process that could not start. */
    private static boolean measure(Scenario scenario, Readings readings, Progress progress) {
        progress.opening(scenario.name());
        try (Scenario.Turns turns = scenario.open()) {
            for (int round = 1; round <= scenario.rounds(); round++) {
                progress.round(scenario.name(), round, scenario.rounds());
                for (String subject : scenario.subjects()) {
                    progress.turn(subject);
                    turns.take(subject, new Recorder(readings, scenario.name(), subject, round));
                }
            }
            return true;
        } catch (RuntimeException | AssertionError e) {
            readings.note(scenario.name() + " ended early: " + e);
            return false;
        }
    }
}
