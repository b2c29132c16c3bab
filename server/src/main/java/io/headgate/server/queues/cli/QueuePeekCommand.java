package io.headgate.server.queues.cli;

import io.headgate.queues.Job;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.server.cli.NumberOption;
import io.headgate.server.queues.JobJson;
import io.headgate.server.queues.JobStateOption;
import io.headgate.server.queues.OperatedQueues;
import io.headgate.server.queues.PayloadText;
import io.headgate.server.text.Table;
import io.headgate.server.text.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code headgate queue peek}. */
@Command(name = "peek", description = "Pages through the jobs of a queue in one state, and changes nothing.")
final class QueuePeekCommand extends NamedQueueCommand {

    private static final int SHOWN_CHARACTERS = 40;
    private static final int SHOWN_FAILURE_CHARACTERS = 80;

    @Option(
            names = "--state",
            paramLabel = "STATE",
            converter = JobStateOption.class,
            description = "Which: ready, delayed, leased, dead or done; ready by default.")
    private JobState.Kind state = JobState.Kind.READY;

    @Option(
            names = "--max",
            paramLabel = "N",
            defaultValue = "20",
            converter = NumberOption.OfPage.class,
            description = "At most this number, from 1 to 500; ${DEFAULT-VALUE} by default.")
    private int most;

    @Option(
            names = "--from",
            paramLabel = "CURSOR",
            description = "Continue after the previous page, as its last line shows.")
    private Optional<String> from = Optional.empty();

    @Override
    void check() {
        cursor(); // throws if it is invalid
    }

    private Cursor cursor() {
        return from.map(Cursor::new).orElse(Cursor.START);
    }

    @Override
    int run(QueueEngine queues) {
        JobQueue<byte[]> queue = existing(queues);
        Page<StoredJob<byte[]>> page = queue.jobs(state, cursor(), most);
        Map<String, Object> members = members();
        members.put("state", Words.lower(state));
        members.put("jobs", page.items().stream().map(JobJson::summary).toList());
        page.next().ifPresent(next -> members.put("next", next.value()));
        return output(members, lines(page, OperatedQueues.count(queue.counts(), state)));
    }

    private List<String> lines(Page<StoredJob<byte[]>> page, long total) {
        Table table = new Table()
                .words("id")
                .words("due at")
                .words("priority")
                .numbers("attempts")
                .words("key")
                .words("payload");
        boolean failed =
                page.items().stream().anyMatch(stored -> !stored.job().causes().isEmpty());
        if (failed) {
            table.words("cause");
        }
        for (StoredJob<byte[]> stored : page.items()) {
            Job<byte[]> job = stored.job();
            List<Object> row = new ArrayList<>(List.of(
                    job.id(),
                    JobText.time(job.dueAt()),
                    Words.lower(job.priority()),
                    job.attempt(),
                    job.key()
                            .map(key -> PayloadText.oneLine(key, SHOWN_CHARACTERS))
                            .orElse("-"),
                    PayloadText.oneLine(job.payload(), SHOWN_CHARACTERS)));
            if (failed) {
                row.add(JobText.lastFailure(job, SHOWN_FAILURE_CHARACTERS).orElse("-"));
            }
            table.row(row.toArray());
        }
        List<String> lines = new ArrayList<>(page.items().isEmpty() ? List.of() : table.lines());
        lines.add("");
        lines.add(Words.whole(page.items().size()) + " of " + Words.whole(total) + " " + Words.lower(state)
                + page.next().map(next -> "; continue with --from " + next).orElse(""));
        return lines.get(0).isEmpty() ? lines.subList(1, lines.size()) : lines;
    }
}
