package io.headgate.server.queues.cli;

import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.audit.CommandAudit;
import io.headgate.server.queues.QueueJson;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code headgate queue pause}. */
@Command(
        name = "pause",
        description = "Stops claims of a queue in all processes until it is resumed; claimed jobs are not affected.")
final class QueuePauseCommand extends QueueChangeCommand {

    @Override
    boolean changes() {
        return true;
    }

    @Override
    int change(QueueEngine queues) {
        JobQueue<byte[]> queue = existing(queues);
        boolean paused = queue.counts().paused();
        recorded(
                ofQueue(AuditAction.QUEUE_PAUSE, "pause"),
                queue::pause,
                new CommandAudit.Outcome(
                        true,
                        "paused",
                        AuditedChange.of(name()).from(Map.of("paused", paused)).to(Map.of("paused", true))));
        return output(QueueJson.paused(name(), true), List.of(name() + ": paused"));
    }
}
