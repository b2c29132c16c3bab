package io.headgate.server.operators;

import io.headgate.server.cli.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate operator}: prepares the operators of a server. */
@Command(
        name = "operator",
        description = "Prepares the operators of headgate serve --operators.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {OperatorTokenCommand.class, HelpCommand.class},
        footer = {"", "Begin with: headgate operator token --name ada --role operate"})
public final class OperatorCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "give a command: token");
    }
}
