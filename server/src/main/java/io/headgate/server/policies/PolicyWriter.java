package io.headgate.server.policies;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.redis.RedisPolicyStore;
import io.headgate.config.sources.PolicyChange;
import io.headgate.config.sources.PolicyChanges;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.server.cli.DryRun;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.StartException;
import io.headgate.server.operators.LocalOperator;
import io.headgate.server.redis.RedisOptions;
import io.headgate.server.text.Instants;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a command that writes a version of the policies to Redis, and the write. */
final class PolicyWriter {

    private static final int CONFLICT = 1;

    @Mixin
    private RedisOptions redis = new RedisOptions();

    @Option(
            names = "--by",
            paramLabel = "NAME",
            description = "Who makes the change, for the history: 1 to 128 characters; by default, user@host.")
    private Optional<String> by = Optional.empty();

    @Option(
            names = "--replaces",
            paramLabel = "VERSION",
            description = "Write only if this is the current version, for example the one that you have edited;"
                    + " by default, the one at the start of the command.")
    private Optional<String> replaces = Optional.empty();

    @Mixin
    private DryRun dryRun = new DryRun();

    @Mixin
    private OutputFormat output = new OutputFormat();

    /**
     * Writes a version, and prints it with its changes.
     *
     * @param next finds the version to write
     * @param reason why
     * @param again whether to write policies that are the current ones already
     * @return the exit code
     */
    int write(Function<PolicyStore, PolicyDocument> next, String reason, boolean again) {
        try (RedisPolicyStore store = redis.policies()) {
            PolicyDocument document = next.apply(store);
            Policies policies = PolicyArguments.policies(document);
            Optional<PolicyDocument> current =
                    store.history(1).isEmpty() ? Optional.empty() : Optional.of(store.read());
            Optional<List<PolicyChange>> changes = current.flatMap(before -> changes(before, policies));
            Optional<String> replaced = expected(current.map(PolicyDocument::version));
            if (dryRun.isOn() && !replaced.equals(current.map(PolicyDocument::version))) {
                return conflict(
                        new PolicyUpdate.Result(false, store.history(1).stream().findFirst()));
            }
            if (dryRun.isOn()) {
                return print("would write these policies", Map.of("written", false), changes);
            }
            if (!again
                    && current.filter(before -> before.texts().equals(document.texts()))
                            .isPresent()) {
                return unchanged(current.get().version());
            }
            PolicyUpdate.Result result = store.apply(
                    new PolicyUpdate(document.texts(), replaced, by.orElseGet(LocalOperator::name), reason));
            return result.applied() ? written(result.current().orElseThrow(), changes) : conflict(result);
        } catch (IllegalArgumentException e) {
            throw StartException.wrongInput(e.getMessage() + ". Nothing was changed");
        } catch (ConfigException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }

    /** Compares with the current version, which processes that run it must be able to update. An invalid one is in force nowhere. */
    private static Optional<List<PolicyChange>> changes(PolicyDocument current, Policies next) {
        Policies before;
        try {
            before = current.policies();
        } catch (ConfigException e) {
            return Optional.empty();
        }
        PolicyArguments.requireUpdatable(before, next);
        return Optional.of(PolicyChanges.between(before, next));
    }

    /** The version to replace. A user may give only its number. */
    private Optional<String> expected(Optional<String> current) {
        return replaces.map(given -> current.filter(version -> version.startsWith(given + "-"))
                        .orElse(given))
                .or(() -> current);
    }

    private int unchanged(String version) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("written", false);
        json.put("version", version);
        output.print(json, List.of("unchanged: these are the policies of version " + version));
        return CommandLine.ExitCode.OK;
    }

    private int written(PolicyVersion version, Optional<List<PolicyChange>> changes) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("written", true);
        json.put("version", version.version());
        return print("wrote version " + version.version(), json, changes);
    }

    private int print(String head, Map<String, Object> members, Optional<List<PolicyChange>> changes) {
        Map<String, Object> json = new LinkedHashMap<>(members);
        changes.ifPresent(all -> json.put("changes", ChangeText.members(all)));
        List<String> lines = new ArrayList<>(List.of(head));
        changes.ifPresent(all -> lines.addAll(ChangeText.lines(all)));
        output.print(json, lines);
        return CommandLine.ExitCode.OK;
    }

    private int conflict(PolicyUpdate.Result result) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("written", false);
        result.current().ifPresent(version -> json.put("current", version.version()));
        String current = result.current()
                .map(version -> "version " + version.version() + ", written by " + version.by() + ", "
                        + Instants.of(version.writtenAt()) + ": " + version.reason())
                .orElse("none");
        output.print(
                json,
                List.of(
                        "not written, as the current version is not the expected one",
                        "current: " + current,
                        "compare with it, and apply again: " + redis.command("policy show")));
        return CONFLICT;
    }
}
