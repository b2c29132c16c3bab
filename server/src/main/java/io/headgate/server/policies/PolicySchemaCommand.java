package io.headgate.server.policies;

import io.headgate.config.PolicyFile;
import io.headgate.server.cli.Version;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code headgate policy schema}: prints the JSON Schema of policy files. */
@Command(
        name = "schema",
        description = "Prints the JSON Schema of policy files, with which editors complete and check them.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class PolicySchemaCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        out.print(PolicyFile.schema());
        out.flush();
        return CommandLine.ExitCode.OK;
    }
}
