package io.headgate.server.queues.cli;

import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.server.cli.StartException;
import io.headgate.server.queues.OperatedQueues;
import io.headgate.server.text.Quoted;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Parameters;

/** A command that is about one queue. */
abstract class NamedQueueCommand extends QueueSubcommand {

    @Parameters(paramLabel = "NAME", index = "0", converter = QueueName.class, description = QueueName.EXPECTED)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    String name() {
        return name;
    }

    /** The queue, whether it is there or not. */
    JobQueue<byte[]> queue(QueueEngine queues) {
        return OperatedQueues.named(queues, name);
    }

    /**
     * The queue, which must be there.
     *
     * @throws StartException when it is not
     */
    JobQueue<byte[]> existing(QueueEngine queues) {
        JobQueue<byte[]> queue = queue(queues);
        if (OperatedQueues.isEmpty(queue.counts()) && !queues.names().contains(name)) {
            throw StartException.failed("no queue is named " + Quoted.of(name)
                    + " at this key prefix; to list those that are: " + command("ls"));
        }
        return queue;
    }

    /** The beginning of an answer in JSON. */
    Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("queue", name);
        return members;
    }
}
