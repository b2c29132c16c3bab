package io.headgate.server.policies;

import io.headgate.config.ConfigException;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.server.cli.NumberOption;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.Version;
import io.headgate.server.text.Instants;
import io.headgate.server.text.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headgate policy history}: lists the versions of the policies in Redis, etcd or Consul. */
@Command(
        name = "history",
        description = "Lists the versions of the policies in Redis, etcd or Consul, the current one first.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class PolicyHistoryCommand implements Callable<Integer> {

    @Mixin
    private StoredPolicies stored = new StoredPolicies();

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20",
            converter = NumberOption.OfVersions.class,
            description = "The most versions to list, from 1 to 100; ${DEFAULT-VALUE} by default.")
    private Integer limit = 20;

    @Mixin
    private OutputFormat output = new OutputFormat();

    @Override
    public Integer call() {
        try (PolicyStore store = stored.connect()) {
            print(store.history(limit), store.shadowVersion());
            return 0;
        } catch (ConfigException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }

    private void print(List<PolicyVersion> versions, Optional<PolicyVersion> shadow) {
        Table table = new Table().words("version").words("written").words("by").words("reason");
        versions.forEach(version ->
                table.row(version.version(), Instants.of(version.writtenAt()), version.by(), version.reason()));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("versions", versions.stream().map(PolicyJson::of).toList());
        shadow.ifPresent(version -> json.put("shadow", PolicyJson.of(version)));
        List<String> lines = new ArrayList<>(versions.isEmpty() ? List.of("no policies were written") : table.lines());
        shadow.ifPresent(version -> lines.add("shadow version " + PreviewView.described(version)));
        output.print(json, lines);
    }
}
