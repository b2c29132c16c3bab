package io.headgate.server.queues.cli;

import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueSettings;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.cli.Confirmation;
import io.headgate.server.queues.OperatedQueues;
import io.headgate.server.queues.PurgeState;
import io.headgate.server.queues.QueueChange;
import io.headgate.server.text.Words;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headgate queue purge}. */
@Command(name = "purge", description = "Deletes the waiting jobs, the dead letters, or the kept done jobs of a queue.")
final class QueuePurgeCommand extends QueueChangeCommand {

    @Option(
            names = "--state",
            paramLabel = "STATE",
            converter = PurgeState.Option.class,
            description = "Which: " + PurgeState.EXPECTED + "; waiting by default. Claimed jobs are not deleted.")
    private PurgeState state = PurgeState.WAITING;

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Override
    void check() {
        confirmation.requireConfirmable("queue purge");
    }

    @Override
    boolean changes() {
        return !confirmation.isDryRun();
    }

    @Override
    int change(QueueEngine queues) {
        JobQueue<byte[]> queue = existing(queues);
        long total = state.countIn(queue.counts());
        if (confirmation.isDryRun()) {
            return output(
                    members("wouldPurge", total), List.of("would purge " + state.describe(total) + " of " + name()));
        }
        confirmation.require("Delete " + state.describe(total) + " of " + name() + " permanently?");
        Progress progress = new Progress(err(), "purged", "job");
        long purged = recorded(
                ofQueue(AuditAction.QUEUE_PURGE, "purge"),
                progress,
                () -> purge(queue, total, progress),
                this::purged,
                count -> QueueChange.purged(name(), state, count, Math.max(0, total - count)));
        return output(members("purged", purged), List.of(purged(purged) + " of " + name()));
    }

    /** Purges at most the number of jobs that existed at the start, because the user has confirmed that number. */
    private void purge(JobQueue<byte[]> queue, long total, Progress progress) {
        int purged = QueueSettings.MAX_BATCH; // any positive number, to begin
        while (progress.done() < total && purged > 0) {
            int most = (int) Math.min(QueueSettings.MAX_BATCH, total - progress.done());
            purged = OperatedQueues.await(state.purge(queue.async(), most));
            progress.add(purged);
        }
    }

    private String purged(long count) {
        return "purged " + state.describe(count);
    }

    private Map<String, Object> members(String what, long count) {
        Map<String, Object> members = members();
        members.put("state", Words.lower(state));
        members.put(what, count);
        return members;
    }
}
