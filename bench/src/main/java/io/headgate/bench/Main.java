package io.headgate.bench;

import io.headgate.bench.faults.FaultsCommand;
import io.headgate.bench.hostile.HostileCommand;
import io.headgate.bench.limits.LimitsCommand;
import io.headgate.bench.pictures.ModesCommand;
import io.headgate.bench.pictures.PicturesCommand;
import io.headgate.bench.policies.PoliciesCommand;
import io.headgate.bench.queues.QueuesCommand;
import io.headgate.bench.web.WebCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of the benchmarks. */
@Command(
        name = "headgate bench",
        description = "Measures Headgate beside its peers, on this machine, and draws the pictures of the guides.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            LimitsCommand.class,
            QueuesCommand.class,
            FaultsCommand.class,
            HostileCommand.class,
            WebCommand.class,
            PoliciesCommand.class,
            ModesCommand.class,
            PicturesCommand.class
        })
public final class Main implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    private Main() {}

    /** Runs the benchmark that the arguments name. */
    public static void main(String[] arguments) {
        CommandLine line = new CommandLine(new Main());
        line.setUsageHelpAutoWidth(true);
        line.setParameterExceptionHandler((wrong, given) -> {
            CommandLine command = wrong.getCommandLine();
            command.getErr().println("headgate: " + wrong.getMessage());
            command.getErr().println("Try: " + command.getCommandSpec().qualifiedName() + " --help");
            return CommandLine.ExitCode.USAGE;
        });
        // Peers may leave threads behind that would keep the process alive.
        System.exit(line.execute(arguments));
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "give a command: limits, queues, faults, hostile, web, policies, modes or pictures");
    }
}
