package io.headgate.server.queues.cli;

import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.server.cli.Finding;
import io.headgate.server.cli.StartException;
import io.headgate.server.queues.JobJson;
import io.headgate.server.queues.QueueJson;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code headgate queue show}. */
@Command(
        name = "show",
        description = "Shows the number of jobs of a queue in each state, and problems; or the details of one job.")
final class QueueShowCommand extends NamedQueueCommand {

    @Parameters(
            paramLabel = "ID",
            index = "1",
            arity = "0..1",
            description = "Which job: its id, as enqueue and peek print it.")
    private Optional<String> id = Optional.empty();

    @Override
    void check() {
        id.ifPresent(JobId::new); // throws if it is invalid
    }

    @Override
    int run(QueueEngine queues) {
        JobQueue<byte[]> queue = existing(queues);
        if (id.isPresent()) {
            return showJob(queue, new JobId(id.get()));
        }
        QueueCounts counts = queue.counts();
        int shards = queue.shards();
        List<Finding> findings = QueueText.findings(name(), counts, this::command);
        Map<String, Object> members = QueueJson.counts(name(), counts, shards);
        members.put("findings", QueueText.json(findings));
        return output(members, QueueText.counts(name(), counts, shards, findings));
    }

    private int showJob(JobQueue<byte[]> queue, JobId job) {
        StoredJob<byte[]> stored = queue.find(job)
                .orElseThrow(() -> StartException.failed("queue " + name() + " has no job " + job
                        + "; it may be done, cancelled or removed, or belong to another queue"));
        Map<String, Object> members = members();
        members.putAll(JobJson.full(stored));
        return output(members, JobText.lines(name(), stored));
    }
}
