package io.headgate.server.queues.cli;

import io.headgate.queues.Queues;
import io.headgate.server.queues.QueueJson;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code headgate queue resume}. */
@Command(name = "resume", description = "Hands out the jobs of a queue again.")
final class QueueResumeCommand extends NamedQueueCommand {

    @Override
    int run(Queues queues) {
        existing(queues).resume();
        return answer(QueueJson.paused(name(), false), List.of(name() + ": resumed"));
    }
}
