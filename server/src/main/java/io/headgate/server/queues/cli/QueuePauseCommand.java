package io.headgate.server.queues.cli;

import io.headgate.queues.Queue;
import io.headgate.queues.Queues;
import io.headgate.server.queues.QueueJson;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code headgate queue pause}. */
@Command(
        name = "pause",
        description =
                "Hands out nothing more of a queue until it is resumed, in all processes; what is in hand stays there.")
final class QueuePauseCommand extends QueueSubcommand {

    @Parameters(paramLabel = "NAME", converter = QueueName.class, description = QueueName.EXPECTED)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    @Override
    void check() {}

    @Override
    int run(Queues queues) {
        Queue<byte[]> queue = existing(queues, name);
        queue.pause();
        return answer(QueueJson.paused(name, true), List.of(name + ": paused"));
    }
}
