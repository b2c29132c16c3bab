package io.headgate.server.plan;

import io.headgate.redis.capacity.QueuePlan;
import io.headgate.server.cli.Answer;
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

/** {@code headgate plan queue}: keys, memory, calls and bytes of a queue, from what comes to it and what is done with it. */
@Command(
        name = "queue",
        description = "Says how many keys, how much memory, and how many calls, commands and bytes a second a queue"
                + " takes of a Redis.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        footer = {
            "",
            "It asks no Redis, unless one is given, and of that only how it allocates memory. What it takes for granted"
                    + " is said below the table; docs/operations.md says how each figure comes about.",
            "Exit codes: 0 planned, 1 the Redis that was given can't be asked, 2 wrong command line, or more comes than"
                    + " is handled."
        })
final class PlanQueueCommand implements Callable<Integer> {

    @Mixin
    private final QueueOptions told = new QueueOptions();

    @Option(
            names = "--redis",
            paramLabel = "URL",
            description = "Ask this Redis how it allocates memory (MEMORY MALLOC-STATS); by default, as in most"
                    + " distributions, which takes a little more than a Redis of its own build.")
    private Optional<String> redis = Optional.empty();

    @Mixin
    private Answer answer = new Answer();

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        QueueTable table;
        try {
            PlannedMemory memory = redis.map(PlannedMemory::of).orElseGet(PlannedMemory::ofAny);
            QueuePlan plan = told.plan(memory);
            table = new QueueTable(plan, QueueGranted.of(told, plan, memory));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
        answer.print(table.json(), table.lines());
        return CommandLine.ExitCode.OK;
    }
}
