package io.headgate.server;

import io.headgate.server.audit.read.AuditCommand;
import io.headgate.server.bans.BanCommand;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.Version;
import io.headgate.server.cli.WrongUsage;
import io.headgate.server.demo.DemoCommand;
import io.headgate.server.doctor.DoctorCommand;
import io.headgate.server.net.OutOfMemoryExit;
import io.headgate.server.operators.OperatorCommand;
import io.headgate.server.plan.PlanCommand;
import io.headgate.server.policies.PolicyCommand;
import io.headgate.server.queues.cli.QueueCommand;
import io.headgate.server.serve.ServeCommand;
import io.headgate.server.top.TopCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line: runs a command, and ends with its exit code. */
@Command(
        name = "headgate",
        description = "Flow control on Redis: rate limits for programs in any language, and queues.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ServeCommand.class,
            DemoCommand.class,
            QueueCommand.class,
            TopCommand.class,
            PlanCommand.class,
            PolicyCommand.class,
            BanCommand.class,
            AuditCommand.class,
            OperatorCommand.class,
            DoctorCommand.class,
            HelpCommand.class
        },
        footer = {
            "",
            "Start with: headgate demo",
            "More on a command: headgate COMMAND --help",
            "Benchmarks, with other libraries for comparison: headgate bench --help"
        })
public final class Main implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    private Main() {}

    /** Runs the command of the arguments. */
    public static void main(String[] arguments) {
        OutOfMemoryExit.install();
        System.exit(commandLine().execute(arguments));
    }

    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Main());
        line.setParameterExceptionHandler(new WrongUsage());
        line.setExecutionExceptionHandler((thrown, command, parsed) -> {
            if (thrown instanceof StartException failure) {
                command.getErr().println("headgate: " + failure.getMessage());
                return failure.exitCode();
            }
            throw thrown;
        });
        return line;
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "give a command: serve, demo, queue, top, plan, policy, ban, audit, operator, doctor or help");
    }
}
