package io.headgate.server.queues.cli;

import io.headgate.server.cli.Confirmation;
import io.headgate.server.queues.JobChange;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code headgate queue cancel}. */
@Command(name = "cancel", description = "Cancels waiting jobs; asks for confirmation before it cancels more than one.")
final class QueueCancelCommand extends QueueIdsCommand {

    @Mixin
    private Confirmation confirmation = new Confirmation();

    QueueCancelCommand() {
        super(JobChange.CANCEL);
    }

    @Override
    boolean isDryRun() {
        return confirmation.isDryRun();
    }

    @Override
    void check() {
        super.check();
        if (jobs() > 1) {
            confirmation.requireConfirmable("queue cancel of more than one job");
        }
    }

    @Override
    void confirm() {
        if (jobs() > 1) {
            confirmation.require("Cancel " + jobs() + " jobs of " + name() + "?");
        }
    }
}
