package io.headgate.server.queues.cli;

import io.headgate.server.cli.DryRun;
import io.headgate.server.queues.JobChange;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code headgate queue retry}. */
@Command(
        name = "retry",
        description = "Has jobs handed out as soon as may be: one that waits is due now, a dead letter waits again.")
final class QueueRetryCommand extends QueueIdsCommand {

    @Mixin
    private DryRun dryRun = new DryRun();

    QueueRetryCommand() {
        super(JobChange.RETRY);
    }

    @Override
    boolean isDryRun() {
        return dryRun.isOn();
    }

    @Override
    void confirm() {}
}
