package io.headgate.server.queues.cli;

import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.server.queues.QueueJson;
import java.util.List;
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
        logged("resume", queue::resume, "resumed");
        return output(QueueJson.paused(name(), false), List.of(name() + ": resumed"));
    }
}
