package io.headgate.server.queues.cli;

import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.server.queues.QueueJson;
import java.util.List;
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
        logged("pause", queue::pause, "paused");
        return output(QueueJson.paused(name(), true), List.of(name() + ": paused"));
    }
}
