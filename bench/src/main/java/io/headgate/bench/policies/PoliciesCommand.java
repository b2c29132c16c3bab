package io.headgate.bench.policies;

import io.headgate.bench.report.TextTable;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate bench policies}: how long thousands of policies take to load and to change, and how much memory they need. */
@Command(
        name = "policies",
        description = {
            "Loads policies with two rules each from files, then from a Redis that it starts, and changes a limit there ten times.",
            "It takes about half a minute."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "What it measures, and how to read it: docs/benchmarks.md"})
public final class PoliciesCommand implements Callable<Integer> {

    /** The most policies that fit into 16 MiB, the bound of a version. */
    private static final int MAX_COUNT = 50_000;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "10000",
            description = "The number of policies, from 1 to " + MAX_COUNT + "; ${DEFAULT-VALUE} by default.")
    private int count;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** Called by picocli. */
    public PoliciesCommand() {}

    @Override
    public Integer call() throws IOException {
        if (count < 1 || count > MAX_COUNT) {
            throw new ParameterException(
                    spec.commandLine(), "--count must be from 1 to " + MAX_COUNT + ", was " + count);
        }
        PrintWriter terminal = spec.commandLine().getOut();
        Path directory = Files.createTempDirectory("headgate-policies");
        try (RedisServer redis = RedisServer.startOwn()) {
            TextTable table = new TextTable(List.of(count + " policies"), List.of("", "unit"));
            PolicyRun.measure(new ManyPolicies(count), directory, redis.url())
                    .forEach(figure ->
                            table.add(List.of(figure.name(), TextTable.Numbers.cell(figure.value()), figure.unit())));
            table.print(terminal);
        } finally {
            delete(directory);
        }
        terminal.flush();
        return CommandLine.ExitCode.OK;
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }
}
