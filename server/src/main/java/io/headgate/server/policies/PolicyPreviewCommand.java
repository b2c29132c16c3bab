package io.headgate.server.policies;

import io.headgate.config.ConfigException;
import io.headgate.config.sources.PolicyStore;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.Version;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code headgate policy preview}: shows what the shadow version would have denied. */
@Command(
        name = "preview",
        description =
                "Shows, for each policy and rule, what the shadow version of headgate policy apply --shadow would have denied of the real requests.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Exit codes: 0 shown, 1 there is no shadow version, or the store fails."})
final class PolicyPreviewCommand implements Callable<Integer> {

    private static final int NONE = 1;

    @Mixin
    private StoredPolicies stored = new StoredPolicies();

    @Mixin
    private OutputFormat output = new OutputFormat();

    @Override
    public Integer call() {
        try (PolicyStore store = stored.connect()) {
            PreviewView view = PreviewView.read(store);
            output.print(view.json(), view.lines());
            return view.shadow().isPresent() ? CommandLine.ExitCode.OK : NONE;
        } catch (ConfigException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }
}
