package io.headgate.server.queues.cli;

import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.server.cli.StartException;
import io.headgate.server.queues.OperatedQueues;
import io.headgate.server.text.Quoted;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Parameters;

/** A command for one queue. */
abstract class NamedQueueCommand extends QueueSubcommand {

    @Parameters(paramLabel = "NAME", index = "0", converter = QueueName.class, description = QueueName.EXPECTED)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    String name() {
        return name;
    }

    /** The queue, which might not exist. */
    JobQueue<byte[]> queue(QueueEngine queues) {
        return OperatedQueues.named(queues, name);
    }

    /**
     * The existing queue.
     *
     * @throws StartException if it does not exist
     */
    JobQueue<byte[]> existing(QueueEngine queues) {
        JobQueue<byte[]> queue = queue(queues);
        if (OperatedQueues.isEmpty(queue.counts()) && !queues.names().contains(name)) {
            throw StartException.failed("no queue is named " + Quoted.of(name)
                    + " under this key prefix; to list the queues: " + command("ls"));
        }
        return queue;
    }

    /** The first members of the JSON output. */
    Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("queue", name);
        return members;
    }
}
