package io.headgate.server.queues.cli;

import io.headgate.server.cli.NumberOption;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options for the number of jobs of a command, one of which is required: all, or a maximum. */
final class JobCountOptions {

    @Option(names = "--all", description = "All that exist when the command starts.")
    private boolean all;

    @Option(
            names = "--max",
            paramLabel = "N",
            converter = NumberOption.OfJobs.class,
            description = "At most this number, from 1 to 1000000000.")
    private Optional<Integer> most = Optional.empty();

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec command;

    void check() {
        if (all == most.isPresent()) {
            throw new ParameterException(command.commandLine(), "give either --all or --max N");
        }
    }

    /** The number of jobs to process, of those that exist. */
    long of(long existing) {
        return most.map(bound -> Math.min(bound, existing)).orElse(existing);
    }
}
