package io.headgate.server.bans;

import io.headgate.server.cli.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate ban}: bans and exempts keys and addresses, in all processes. */
@Command(
        name = "ban",
        description = "Bans users, addresses and other keys, or exempts them from limits, in all processes on a Redis.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            BanAddCommand.class,
            BanListCommand.class,
            BanShowCommand.class,
            BanLiftCommand.class,
            BanExportCommand.class,
            BanImportCommand.class,
            HelpCommand.class
        },
        footer = {"", "For example: headgate ban add ip=203.0.113.0/24 --for 1h --reason scraping"})
public final class BanCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "give a command: add, list, show, lift, export or import");
    }
}
