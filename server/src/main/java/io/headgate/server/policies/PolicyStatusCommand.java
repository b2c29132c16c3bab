package io.headgate.server.policies;

import io.headgate.config.ConfigException;
import io.headgate.config.redis.RedisPolicyStore;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.Version;
import io.headgate.server.redis.RedisOptions;
import io.headgate.server.text.Instants;
import io.headgate.server.text.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code headgate policy status}: shows which process runs which version of the policies in Redis. */
@Command(
        name = "status",
        description = "Shows which servers and applications run the current version of the policies in Redis.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Exit codes: 0 all run the current version, 1 some do not, none reports, or Redis fails."})
final class PolicyStatusCommand implements Callable<Integer> {

    private static final int BEHIND = 1;

    @Mixin
    private RedisOptions redis = new RedisOptions();

    @Mixin
    private OutputFormat output = new OutputFormat();

    @Override
    public Integer call() {
        try (RedisPolicyStore store = redis.policies()) {
            Optional<String> current =
                    store.history(1).stream().map(PolicyVersion::version).findFirst();
            List<PolicyInstance> instances = store.instances();
            output.print(members(current, instances), lines(current, instances));
            return !instances.isEmpty() && instances.stream().allMatch(instance -> isCurrent(instance, current))
                    ? CommandLine.ExitCode.OK
                    : BEHIND;
        } catch (ConfigException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }

    private static boolean isCurrent(PolicyInstance instance, Optional<String> current) {
        return current.filter(instance.version()::equals).isPresent();
    }

    private static List<String> lines(Optional<String> current, List<PolicyInstance> instances) {
        List<String> lines = new ArrayList<>();
        lines.add("current version: " + current.orElse("none"));
        if (instances.isEmpty()) {
            lines.add("no process reports that it uses these policies");
            return lines;
        }
        Table table =
                new Table().words("instance").words("version").words("since").words("state");
        for (PolicyInstance instance : instances) {
            table.row(
                    instance.name(),
                    instance.version(),
                    Instants.of(instance.since()),
                    instance.rejected().orElse(isCurrent(instance, current) ? "current" : "another version"));
        }
        lines.addAll(table.lines());
        return lines;
    }

    private static Map<String, Object> members(Optional<String> current, List<PolicyInstance> instances) {
        Map<String, Object> json = new LinkedHashMap<>();
        current.ifPresent(version -> json.put("version", version));
        json.put(
                "instances",
                instances.stream()
                        .map(instance -> {
                            Map<String, Object> members = new LinkedHashMap<>();
                            members.put("name", instance.name());
                            members.put("version", instance.version());
                            members.put("since", Instants.of(instance.since()));
                            members.put("current", isCurrent(instance, current));
                            instance.rejected().ifPresent(reason -> members.put("rejected", reason));
                            return members;
                        })
                        .toList());
        return json;
    }
}
