package io.headgate.server.plan;

import io.headgate.server.cli.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate plan}: estimates the load on a Redis before limits or queues run. */
@Command(
        name = "plan",
        description = "Estimates what limits or a queue need in Redis.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {PlanLimitsCommand.class, PlanQueueCommand.class, HelpCommand.class},
        footer = {"", "Begin with: headgate plan limits --help, or headgate plan queue --help"})
public final class PlanCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "give what to plan: limits or queue");
    }
}
