package io.headgate.server.queues.cli;

import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.audit.CommandAudit;
import io.headgate.server.cli.Confirmation;
import io.headgate.server.queues.AuditText;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headgate queue audit}. */
@Command(
        name = "audit",
        description =
                "Checks that each job of a queue is stored in exactly one place and that its records are consistent.",
        footer = {
            "",
            "It may run while the queue is in use. The problems that it finds have a cause outside Headgate, such as another program, manual changes, an eviction or a restored backup.",
            "Exit codes: 0 no problem is left, 1 a problem is left or a check was skipped, 2 wrong command line or not confirmed."
        })
final class QueueAuditCommand extends QueueChangeCommand {

    @Option(names = "--repair", description = "Repair what is found; one repair at a time.")
    private boolean repair;

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Override
    void check() {
        if (repair) {
            confirmation.requireConfirmable("queue audit --repair");
        }
    }

    @Override
    boolean changes() {
        return repair && !confirmation.isDryRun();
    }

    @Override
    int change(QueueEngine queues) {
        // A queue whose header (the key with its counts) was deleted also exists, and needs the audit most.
        JobQueue<byte[]> queue = queue(queues);
        AuditReport report = queue.audit();
        if (AuditText.foundNoData(report)) {
            existing(queues); // throws if the queue does not exist
        }
        if (changes() && !AuditText.hasNoOpenProblem(report)) {
            confirmation.require(AuditText.summary(name(), report) + ". Repair what can be repaired?");
            report = repair(queue, report);
        }
        output(AuditText.json(name(), report), AuditText.lines(name(), report));
        return AuditText.hasNoOpenProblem(report) ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private AuditReport repair(JobQueue<byte[]> queue, AuditReport before) {
        AuditedChange about = AuditedChange.of(name()).from(Map.of("audit", AuditText.summary(name(), before)));
        return recorded(new Change(AuditAction.QUEUE_REPAIR, "audit", "", about), queue::repair, repaired -> {
            String summary = AuditText.summary(name(), repaired);
            return new CommandAudit.Outcome(true, "audited " + summary, about.to(Map.of("audit", summary)));
        });
    }
}
