package io.headgate.server.queues.cli;

import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.server.cli.Confirmation;
import io.headgate.server.queues.AuditText;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headgate queue audit}. */
@Command(
        name = "audit",
        description = "Proves that each job of a queue is in one place and that all that is known of it agrees.",
        footer = {
            "",
            "It may run while the queue is used. What it finds comes of what somebody else wrote or deleted in Redis.",
            "Exit codes: 0 nothing is wrong any more, 1 something is, 2 wrong command line or not confirmed."
        })
final class QueueAuditCommand extends QueueChangeCommand {

    @Option(names = "--repair", description = "Mend what is found; one at a time.")
    private boolean repair;

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Override
    void check() {
        if (repair) {
            confirmation.requireAnswerer("queue audit --repair");
        }
    }

    @Override
    boolean changes() {
        return repair && !confirmation.isDryRun();
    }

    @Override
    int change(QueueEngine queues) {
        // One whose header was deleted is there, too, and is the one that needs it most.
        JobQueue<byte[]> queue = queue(queues);
        AuditReport report = queue.audit();
        if (AuditText.sawNothing(report)) {
            existing(queues);
        }
        if (changes() && !AuditText.isFine(report)) {
            confirmation.require(AuditText.summary(name(), report) + ". Mend what can be?");
            report = logged("audit", "", queue::repair, repaired -> "audited " + AuditText.summary(name(), repaired));
        }
        answer(AuditText.json(name(), report), AuditText.lines(name(), report));
        return AuditText.isFine(report) ? ExitCode.OK : ExitCode.SOFTWARE;
    }
}
