package io.headgate.server.policies;

import io.headgate.config.Policies;
import io.headgate.config.sources.PolicyChange;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.Version;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code headgate policy diff}: reports what a new version of policies would change. */
@Command(
        name = "diff",
        description = "Prints which policies and limits differ: added, removed, raised, lowered or changed.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Exit codes: 0 a server would apply the new policies, 2 it would reject them, or one is invalid."
        })
final class PolicyDiffCommand implements Callable<Integer> {

    @Parameters(index = "0", paramLabel = "OLD", description = "The current policies: a file, or a directory.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path before;

    @Parameters(index = "1", paramLabel = "NEW", description = "The new policies: a file, or a directory.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path after;

    @Mixin
    private OutputFormat output = new OutputFormat();

    @Override
    public Integer call() {
        Policies was = PolicyArguments.policies(PolicyArguments.document(before));
        Policies is = PolicyArguments.policies(PolicyArguments.document(after));
        List<PolicyChange> changes = PolicyArguments.changes(was, is);
        output.print(Map.of("changes", PolicyJson.of(changes)), ChangeText.lines(changes));
        return CommandLine.ExitCode.OK;
    }
}
