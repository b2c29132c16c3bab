package io.headgate.server.policies;

import io.headgate.config.ConfigException;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyStore;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.Version;
import io.headgate.server.text.Quoted;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code headgate policy show}: prints a version of the policies in Redis, etcd or Consul as it was written. */
@Command(
        name = "show",
        description = "Prints the policies in Redis, etcd or Consul, as they were written.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class PolicyShowCommand implements Callable<Integer> {

    @Parameters(
            paramLabel = "VERSION",
            arity = "0..1",
            description =
                    "A version, or its number, as headgate policy history prints it, or \"shadow\" for the shadow version;"
                            + " by default, the current one.")
    private Optional<String> version = Optional.empty();

    @Mixin
    private StoredPolicies stored = new StoredPolicies();

    @Mixin
    private OutputFormat output = new OutputFormat();

    @Override
    public Integer call() {
        PolicyDocument document = document();
        Map<String, Object> texts = new LinkedHashMap<>();
        List<String> lines = new ArrayList<>();
        for (PolicyDocument.Text text : document.texts()) {
            texts.put(text.name(), text.yaml());
            // Of a file alone, the output is its content, to edit and to apply.
            if (document.texts().size() > 1) {
                lines.add("# " + text.name());
            }
            text.yaml().lines().forEach(lines::add);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("version", document.version());
        json.put("files", texts);
        output.print(json, lines);
        return CommandLine.ExitCode.OK;
    }

    private PolicyDocument document() {
        try (PolicyStore store = stored.connect()) {
            return version.isEmpty()
                    ? store.read()
                    : store.find(version.get())
                            .orElseThrow(
                                    () -> StartException.wrongInput("there is no version " + Quoted.of(version.get())
                                            + "; headgate policy history lists those that are kept"));
        } catch (IllegalArgumentException e) {
            throw StartException.wrongInput(String.valueOf(e.getMessage()));
        } catch (ConfigException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }
}
