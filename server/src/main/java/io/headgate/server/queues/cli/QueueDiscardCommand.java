package io.headgate.server.queues.cli;

import io.headgate.server.cli.Confirmation;
import io.headgate.server.queues.JobChange;
import io.headgate.server.text.Words;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code headgate queue discard}. */
@Command(name = "discard", description = "Deletes dead letters; to delete all, use purge --state dead.")
final class QueueDiscardCommand extends QueueIdsCommand {

    @Mixin
    private Confirmation confirmation = new Confirmation();

    QueueDiscardCommand() {
        super(JobChange.DISCARD);
    }

    @Override
    boolean isDryRun() {
        return confirmation.isDryRun();
    }

    @Override
    void check() {
        super.check();
        confirmation.requireConfirmable("queue discard");
    }

    @Override
    void confirm() {
        confirmation.require("Delete " + Words.count(jobs(), "dead letter") + " of " + name() + " permanently?");
    }
}
