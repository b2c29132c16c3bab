package io.headgate.server.policies;

import io.headgate.config.ConfigException;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.audit.AuditOptions;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.audit.CommandAudit;
import io.headgate.server.cli.DryRun;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.Version;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code headgate policy discard}: removes the shadow version. */
@Command(
        name = "discard",
        description =
                "Removes the shadow version of the policies in Redis, etcd or Consul, so that no server evaluates it.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Exit codes: 0 removed, or there is none; 1 not removed, as somebody else has replaced it, or the store fails."
        })
final class PolicyDiscardCommand implements Callable<Integer> {

    private static final int CONFLICT = 1;

    @Mixin
    private StoredPolicies stored = new StoredPolicies();

    @Mixin
    private AuditOptions auditOptions = new AuditOptions();

    @Mixin
    private DryRun dryRun = new DryRun();

    @Mixin
    private OutputFormat output = new OutputFormat();

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec command;

    @Override
    public Integer call() {
        try (PolicyStore store = stored.connect()) {
            Optional<PolicyVersion> shadow = store.shadowVersion();
            if (shadow.isEmpty() || dryRun.isOn()) {
                return print(shadow, false);
            }
            CommandAudit audit = auditOptions.open(stored::auditLog);
            int exitCode;
            try (audit) {
                exitCode = print(shadow, discard(store, shadow.get(), audit));
            }
            return audit.exitCode(exitCode, command.commandLine().getErr());
        } catch (ConfigException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }

    private static boolean discard(PolicyStore store, PolicyVersion shadow, CommandAudit audit) {
        AuditedChange change = PolicyEdit.discarded(shadow.version());
        return audit.run(
                new CommandAudit.Plan(AuditAction.POLICY_DISCARD, "policy discard", change),
                () -> store.discardShadow(shadow.version()),
                removed -> new CommandAudit.Outcome(
                        removed, (removed ? "discarded " : "not discarded: ") + shadow.version(), change));
    }

    private int print(Optional<PolicyVersion> shadow, boolean removed) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("discarded", removed);
        shadow.ifPresent(version -> json.put("shadow", PolicyJson.of(version)));
        output.print(json, List.of(line(shadow, removed)));
        return shadow.isEmpty() || removed || dryRun.isOn() ? CommandLine.ExitCode.OK : CONFLICT;
    }

    private String line(Optional<PolicyVersion> shadow, boolean removed) {
        if (shadow.isEmpty()) {
            return "there is no shadow version";
        }
        String version = "shadow version " + PreviewView.described(shadow.get());
        if (dryRun.isOn()) {
            return "would discard " + version;
        }
        return removed
                ? "discarded " + version
                : "not discarded, as somebody else has replaced " + version + "; see "
                        + stored.command("policy preview");
    }
}
