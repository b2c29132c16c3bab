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

/** {@code headgate queue resume}. */
@Command(name = "resume", description = "Resumes claims of a queue.")
final class QueueResumeCommand extends QueueChangeCommand {

    @Override
    boolean changes() {
        return true;
    }

    @Override
    int change(QueueEngine queues) {
        JobQueue<byte[]> queue = existing(queues);
        boolean paused = queue.counts().paused();
        recorded(
                ofQueue(AuditAction.QUEUE_RESUME, "resume"),
                queue::resume,
                new CommandAudit.Outcome(
                        true,
                        "resumed",
                        AuditedChange.of(name()).from(Map.of("paused", paused)).to(Map.of("paused", false))));
        return output(QueueJson.paused(name(), false), List.of(name() + ": resumed"));
    }
}
