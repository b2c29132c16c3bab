package io.headgate.server.queues.cli;

import io.headgate.server.cli.DryRun;
import io.headgate.server.queues.JobChange;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code headgate queue retry}. */
@Command(
        name = "retry",
        description = "Makes jobs due now: a waiting job becomes due, a dead letter returns to the queue.")
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
