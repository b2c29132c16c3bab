package io.headgate.server.queues.cli;

import io.headgate.queues.Queue;
import io.headgate.queues.Queues;
import io.headgate.server.queues.QueueJson;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code headgate queue resume}. */
@Command(name = "resume", description = "Hands out the jobs of a queue again.")
final class QueueResumeCommand extends QueueSubcommand {

    @Parameters(paramLabel = "NAME", converter = QueueName.class, description = QueueName.EXPECTED)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    @Override
    void check() {}

    @Override
    int run(Queues queues) {
        Queue<byte[]> queue = existing(queues, name);
        queue.resume();
        return answer(QueueJson.paused(name, false), List.of(name + ": resumed"));
    }
}
