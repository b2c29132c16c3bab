package io.headgate.server.policies;

import io.headgate.config.ConfigException;
import io.headgate.config.sources.PolicyChange;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.audit.AuditOptions;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.audit.CommandAudit;
import io.headgate.server.audit.LocalOperator;
import io.headgate.server.cli.DryRun;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.StartException;
import io.headgate.server.text.Instants;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of a command that writes a version of the policies to Redis, etcd or Consul, and the write. */
final class PolicyWriter {

    private static final int CONFLICT = 1;

    @Mixin
    private StoredPolicies stored = new StoredPolicies();

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
    private AuditOptions auditOptions = new AuditOptions();

    @Mixin
    private DryRun dryRun = new DryRun();

    @Mixin
    private OutputFormat output = new OutputFormat();

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec command;

    /**
     * Writes a version, and prints it with its changes.
     *
     * @param next finds and checks the version to write
     * @param reason why
     * @param again whether to write policies that are the current ones already
     * @return the exit code
     */
    int write(Function<PolicyStore, PolicyEdit> next, String reason, boolean again) {
        try (PolicyStore store = stored.connect()) {
            PolicyEdit edit = next.apply(store);
            Optional<String> replaced = edit.replaced(replaces);
            if (dryRun.isOn() && !replaced.equals(edit.currentVersion())) {
                return conflict(
                        edit,
                        edit.isShadow()
                                ? store.shadowVersion()
                                : store.history(1).stream().findFirst());
            }
            if (dryRun.isOn()) {
                return print("would write these policies", Map.of("written", false), edit.changes());
            }
            if (!again && edit.isUnchanged() && replaced.equals(edit.currentVersion())) {
                return unchanged(edit);
            }
            return write(
                    store,
                    edit,
                    replaced,
                    new Reason(again ? AuditAction.POLICY_ROLLBACK : AuditAction.POLICY_APPLY, reason));
        } catch (IllegalArgumentException e) {
            throw StartException.wrongInput(e.getMessage() + ". Nothing was changed");
        } catch (ConfigException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }

    /** Why a version is written. */
    private record Reason(AuditAction action, String text) {}

    private int write(PolicyStore store, PolicyEdit edit, Optional<String> replaced, Reason reason) {
        CommandAudit audit = auditOptions.open(stored::auditLog);
        int exitCode;
        try (audit) {
            CommandAudit.Plan plan = new CommandAudit.Plan(
                    reason.action(),
                    reason.action().toString().replace('.', ' '),
                    AuditedChange.of(edit.target()).because(reason.text()));
            PolicyUpdate.Result result = audit.run(
                    plan,
                    () -> edit.write(store, replaced, by.orElseGet(LocalOperator::name), reason.text()),
                    done -> outcome(edit, done, plan.about()));
            exitCode =
                    result.applied() ? written(edit, result.current().orElseThrow()) : conflict(edit, result.current());
        }
        return audit.exitCode(exitCode, command.commandLine().getErr());
    }

    private static CommandAudit.Outcome outcome(PolicyEdit edit, PolicyUpdate.Result done, AuditedChange about) {
        String version = done.current().map(PolicyVersion::version).orElse("none");
        return done.applied()
                ? new CommandAudit.Outcome(true, "wrote " + name(edit) + version, edit.audited(version, about.reason()))
                : new CommandAudit.Outcome(false, "not written: the " + edit.replacedName() + " is " + version, about);
    }

    private int unchanged(PolicyEdit edit) {
        String version = edit.currentVersion().orElseThrow();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("written", false);
        json.put("version", version);
        output.print(json, List.of("unchanged: these are the policies of " + name(edit) + version));
        return CommandLine.ExitCode.OK;
    }

    private static String name(PolicyEdit edit) {
        return edit.isShadow() ? "shadow version " : "version ";
    }

    private int written(PolicyEdit edit, PolicyVersion version) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("written", true);
        json.put("version", version.version());
        return print("wrote " + name(edit) + version.version(), json, edit.changes());
    }

    private int print(String head, Map<String, Object> members, Optional<List<PolicyChange>> changes) {
        Map<String, Object> json = new LinkedHashMap<>(members);
        changes.ifPresent(all -> json.put("changes", PolicyJson.of(all)));
        List<String> lines = new ArrayList<>(List.of(head));
        changes.ifPresent(all -> lines.addAll(ChangeText.lines(all)));
        output.print(json, lines);
        return CommandLine.ExitCode.OK;
    }

    private int conflict(PolicyEdit edit, Optional<PolicyVersion> found) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("written", false);
        found.ifPresent(version -> json.put("current", version.version()));
        String current = found.map(version -> "version " + version.version() + ", written by " + version.by() + ", "
                        + Instants.of(version.writtenAt()) + ": " + version.reason())
                .orElse("none");
        output.print(
                json,
                List.of(
                        "not written, as the " + edit.replacedName() + " is not the expected one",
                        "current: " + current,
                        "compare with it, and apply again: "
                                + stored.command("policy show" + (edit.isShadow() ? " " + PolicyStore.SHADOW : ""))));
        return CONFLICT;
    }
}
