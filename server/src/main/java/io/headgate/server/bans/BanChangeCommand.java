package io.headgate.server.bans;

import io.headgate.limits.LimitEngine;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.audit.AuditOptions;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.audit.CommandAudit;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;

/** A command that changes bans, and writes each change to the audit log. It opens the log before the first change. */
abstract class BanChangeCommand extends BanSubcommand {

    @Mixin
    private AuditOptions auditOptions = new AuditOptions();

    /** Whether the command changes something. A dry run does not, and opens no log. */
    boolean changes() {
        return true;
    }

    /** Makes the changes, each with the log. Returns the exit code. */
    abstract int change(LimitEngine limits, CommandAudit audit);

    @Override
    final int run(LimitEngine limits) {
        CommandAudit audit = changes() ? auditOptions.open(() -> Optional.of(auditLog())) : CommandAudit.none();
        int exitCode;
        try (audit) {
            exitCode = change(limits, audit);
        }
        // Some file systems report a failed write only when the file is closed.
        return audit.exitCode(exitCode, line().getErr());
    }

    /** Makes and records a change that is a single call. */
    static <T> T recorded(
            CommandAudit audit,
            AuditAction action,
            AuditedChange about,
            Supplier<T> change,
            Function<T, CommandAudit.Outcome> outcome) {
        return audit.run(new CommandAudit.Plan(action, action.toString().replace('.', ' '), about), change, outcome);
    }
}
