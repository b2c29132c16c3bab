package io.headgate.server.queues.cli;

import io.headgate.server.cli.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate queue}: shows and changes queues. */
@Command(
        name = "queue",
        description = "Shows queues and changes them.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            QueueLsCommand.class,
            QueueShowCommand.class,
            QueuePeekCommand.class,
            QueueEnqueueCommand.class,
            QueueCancelCommand.class,
            QueueRetryCommand.class,
            QueueRedriveCommand.class,
            QueueDiscardCommand.class,
            QueuePauseCommand.class,
            QueueResumeCommand.class,
            QueuePurgeCommand.class,
            QueueAuditCommand.class,
            HelpCommand.class
        },
        footer = {"", "More on a command: headgate queue COMMAND --help"})
public final class QueueCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "give a command: ls, show, peek, enqueue, cancel, retry, redrive, discard, pause, resume, purge or audit");
    }
}
