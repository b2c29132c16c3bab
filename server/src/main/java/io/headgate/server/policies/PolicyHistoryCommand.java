package io.headgate.server.policies;

import io.headgate.config.ConfigException;
import io.headgate.config.redis.RedisPolicyStore;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.server.cli.NumberOption;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.Version;
import io.headgate.server.redis.RedisOptions;
import io.headgate.server.text.Instants;
import io.headgate.server.text.Table;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headgate policy history}: lists the versions of the policies in Redis. */
@Command(
        name = "history",
        description = "Lists the versions of the policies in Redis, the current one first.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class PolicyHistoryCommand implements Callable<Integer> {

    @Mixin
    private RedisOptions redis = new RedisOptions();

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
        List<PolicyVersion> versions = versions();
        Table table = new Table().words("version").words("written").words("by").words("reason");
        versions.forEach(version ->
                table.row(version.version(), Instants.of(version.writtenAt()), version.by(), version.reason()));
        output.print(
                Map.of(
                        "versions",
                        versions.stream().map(PolicyHistoryCommand::members).toList()),
                versions.isEmpty() ? List.of("no policies were written") : table.lines());
        return CommandLine.ExitCode.OK;
    }

    private List<PolicyVersion> versions() {
        try (RedisPolicyStore store = redis.policies()) {
            return store.history(limit);
        } catch (ConfigException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }

    private static Map<String, Object> members(PolicyVersion version) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("version", version.version());
        members.put("writtenAt", Instants.of(version.writtenAt()));
        members.put("by", version.by());
        members.put("reason", version.reason());
        return members;
    }
}
