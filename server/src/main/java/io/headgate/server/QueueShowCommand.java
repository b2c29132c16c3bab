package io.headgate.server;

import io.headgate.queues.QueueCounts;
import io.headgate.queues.Queues;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code headgate queue show}. */
@Command(name = "show", description = "Shows how many jobs of a queue are in which state, and what is remarkable.")
final class QueueShowCommand extends QueueSubcommand {

    @Parameters(paramLabel = "NAME", converter = QueueName.class, description = QueueName.EXPECTED)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    @Override
    void check() {}

    @Override
    int run(Queues queues) {
        QueueCounts counts = OperatedQueues.named(queues, name).counts();
        return answer(QueueJson.counts(name, counts), QueueText.counts(name, counts));
    }
}
