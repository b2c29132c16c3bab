package io.headgate.server.plan;

import io.headgate.redis.capacity.QueuePlan;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.Version;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate plan queue}: estimates keys, memory, calls and bytes of a queue from its load. */
@Command(
        name = "queue",
        description = "Estimates the keys, memory, calls, commands and bytes per second that a queue needs in Redis.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        footer = {
            "",
            "It needs no Redis; with --redis, it reads only the memory allocator. Its assumptions are printed below the table; docs/operations.md describes the accuracy.",
            "Exit codes: 0 planned, 1 the given Redis does not reply or rejects the call, 2 wrong command line, or more jobs arrive than are handled."
        })
final class PlanQueueCommand implements Callable<Integer> {

    @Mixin
    private final QueueOptions options = new QueueOptions();

    @Option(
            names = "--redis",
            paramLabel = "URL",
            description =
                    "Plan for the allocator of this Redis, read with MEMORY MALLOC-STATS. By default, plans for that of most distributions, which takes up to 18 %% more for small keys than that of Redis's own build.")
    private Optional<String> redis = Optional.empty();

    @Mixin
    private OutputFormat output = new OutputFormat();

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        QueueTable table;
        try {
            PlannedMemory memory = redis.map(PlannedMemory::of).orElseGet(PlannedMemory::ofAny);
            QueuePlan plan = options.plan(memory);
            table = new QueueTable(plan, QueueAssumptions.of(options, plan, memory));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
        output.print(table.json(), table.lines());
        return CommandLine.ExitCode.OK;
    }
}
