package io.headgate.bench.run;

import io.headgate.bench.report.Figure;
import io.headgate.bench.report.Readings;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.report.Report;
import io.headgate.bench.report.Report.Overview;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The common part of the comparing commands: starts a Redis, measures scenarios in rounds, and prints a report. */
public final class Comparison {

    @Option(names = "--quick", description = "Measure everything, but for a shorter time: six to ten minutes.")
    private boolean quick;

    @Option(names = "--json", paramLabel = "FILE", description = "Write every reading to this file, too.")
    private Optional<Path> json = Optional.empty();

    @Option(names = "--smoke", hidden = true, description = "Only check that it runs.")
    private boolean smoke;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** Returns the selected scenarios; an {@link IllegalArgumentException} becomes a usage error of the command. */
    public <S> List<S> chosen(Supplier<List<S>> scenarios) {
        try {
            return scenarios.get();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Measures and reports.
     *
     * @param scenarios creates the scenarios, in their order
     * @param notes notes for the reader of the figures
     * @return the exit status of the process
     */
    public int run(Function<Arena, List<Scenario>> scenarios, List<Figure> figures, List<String> notes)
            throws IOException {
        return run(scenarios, List.of(), figures, notes);
    }

    /** Measures and reports as {@link #run(Function, List, List)} does, with overviews. */
    public int run(
            Function<Arena, List<Scenario>> scenarios,
            List<Overview> overviews,
            List<Figure> figures,
            List<String> notes)
            throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        Progress progress = new Progress(spec.commandLine().getErr());
        Readings readings = new Readings();
        notes.forEach(readings::note);
        boolean complete = measure(scenarios, readings, progress, out);
        if (json.isPresent()) {
            readings.write(json.get());
        }
        Report report = new Report(readings, overviews, figures, out);
        report.print();
        out.println(spec.qualifiedName() + ": " + report.summary() + ", in " + Progress.clock(progress.elapsed())
                + " minutes" + json.map(file -> "; all readings are in " + file).orElse(""));
        out.flush();
        return complete ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private Pace pace() {
        return smoke ? Pace.smoke() : quick ? Pace.quick() : Pace.full();
    }

    /** Measures all scenarios, and returns whether all of them were completed. */
    private boolean measure(
            Function<Arena, List<Scenario>> scenarios, Readings readings, Progress progress, PrintWriter out) {
        try (RedisServer redis = RedisServer.startOwn();
                RedisAccess access = RedisAccess.to(redis.url());
                RedisProbe probe = RedisProbe.of(redis.url())) {
            out.println(Environment.describe(redis));
            out.flush();
            boolean complete = true;
            for (Scenario scenario : scenarios.apply(new Arena(access, probe, pace()))) {
                complete &= measure(scenario, readings, progress);
            }
            return complete;
        } finally {
            progress.end();
        }
    }

    /** Measures a scenario, and returns whether it was completed. If it fails, its earlier readings are kept. */
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

    /** Describes the environment, on which the figures depend. */
    static final class Environment {

        private Environment() {}

        /** The Redis, the Java and the machine, in one line. */
        static String describe(RedisServer redis) {
            return redis.description() + ", Java " + Runtime.version() + ", "
                    + Runtime.getRuntime().availableProcessors() + " cores, " + System.getProperty("os.name") + " "
                    + System.getProperty("os.arch");
        }
    }

    /** Prints the progress: on a terminal in one line that changes, otherwise in a line for each scenario. */
    static final class Progress {

        /** Whether the output is a terminal, where a line can be overwritten; the launcher sets this property. */
        static final String TERMINAL_PROPERTY = "headgate.terminal";

        private static final String ERASE_LINE = "\r\u001b[2K";

        private final PrintWriter out;
        private final boolean terminal = Boolean.getBoolean(TERMINAL_PROPERTY);
        private final long startNanos = System.nanoTime();
        private String position = "";

        Progress(PrintWriter out) {
            this.out = out;
        }

        /** Shows that a scenario is being prepared. */
        void opening(String scenario) {
            position = scenario;
            show("");
            if (!terminal) {
                out.println();
                out.flush();
            }
        }

        /** Starts a round. */
        void round(String scenario, int round, int rounds) {
            position = scenario + ": round " + round + " of " + rounds;
        }

        /** Shows that the turn of a subject starts. */
        void turn(String subject) {
            if (terminal) {
                show(", " + subject);
            }
        }

        private void show(String more) {
            out.print((terminal ? ERASE_LINE : "") + clock(elapsed()) + "  " + position + more);
            out.flush();
        }

        /** Removes the line that changes. */
        void end() {
            if (terminal) {
                out.print(ERASE_LINE);
                out.flush();
            }
        }

        Duration elapsed() {
            return Duration.ofNanos(System.nanoTime() - startNanos);
        }

        /** Minutes and seconds, such as 4:07. */
        static String clock(Duration time) {
            return String.format("%d:%02d", time.toMinutes(), time.toSecondsPart());
        }
    }
}
