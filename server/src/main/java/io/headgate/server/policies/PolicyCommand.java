package io.headgate.server.policies;

import io.headgate.server.cli.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate policy}: checks and compares policies, and changes those in Redis, etcd or Consul. */
@Command(
        name = "policy",
        description = "Checks and compares policies, and changes those in Redis, etcd or Consul.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            PolicyCheckCommand.class,
            PolicyDiffCommand.class,
            PolicySchemaCommand.class,
            PolicyApplyCommand.class,
            PolicyHistoryCommand.class,
            PolicyShowCommand.class,
            PolicyRollbackCommand.class,
            PolicyStatusCommand.class,
            PolicyPreviewCommand.class,
            PolicyDiscardCommand.class,
            HelpCommand.class
        },
        footer = {"", "Begin with: headgate policy check policies.yaml"})
public final class PolicyCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "give a command: check, diff, schema, apply, history, show, rollback, status, preview or discard");
    }
}
