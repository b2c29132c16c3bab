package io.headgate.server.queues.cli;

import io.headgate.queues.inspect.QueueCounts;
import io.headgate.server.cli.Finding;
import io.headgate.server.text.Words;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Queues as text for a terminal. */
final class QueueText {

    /** Workers poll at least once a second. A queue whose oldest job is due for longer than this has no workers, or too few. */
    private static final Duration LATE = Duration.ofMinutes(1);

    private QueueText() {}

    /** A row of the table of all queues. */
    static Object[] row(String name, QueueCounts counts) {
        return new Object[] {
            name,
            Words.whole(counts.ready()),
            Words.whole(counts.delayed()),
            Words.whole(counts.leased()),
            Words.whole(counts.dead()),
            Words.whole(counts.done()),
            counts.oldestDue().map(Words::span).orElse("-"),
            counts.paused() ? "paused" : "no"
        };
    }

    /** The counts of a queue, and the findings. */
    static List<String> counts(String name, QueueCounts counts, int shards, List<Finding> findings) {
        List<String> lines = new ArrayList<>();
        lines.add(field("queue", name));
        if (shards > 1) {
            lines.add(field("shards", Words.whole(shards)));
        }
        lines.add(field(
                "ready",
                Words.whole(counts.ready())
                        + counts.oldestDue()
                                .map(late -> ", the oldest due for " + Words.span(late))
                                .orElse("")));
        lines.add(field("delayed", Words.whole(counts.delayed())));
        lines.add(field("leased", Words.whole(counts.leased())));
        lines.add(field("dead", Words.whole(counts.dead())));
        lines.add(field("done", Words.whole(counts.done())));
        lines.add(field("paused", counts.paused() ? "yes" : "no"));
        if (!findings.isEmpty()) {
            lines.add("");
        }
        for (Finding finding : findings) {
            lines.add(String.format(Locale.ROOT, "%-8s %s", finding.level().text(), finding.found())
                    + finding.advice().map(advice -> ": " + advice).orElse(""));
        }
        return lines;
    }

    /**
     * The problems that an operator of the queue should know.
     *
     * @param command turns the words after {@code queue} into a whole command that the operator can copy
     */
    static List<Finding> findings(String name, QueueCounts counts, UnaryOperator<String> command) {
        List<Finding> found = new ArrayList<>();
        if (counts.paused()) {
            found.add(Finding.warning("paused", "no jobs are claimed", command.apply("resume " + name)));
        } else if (counts.oldestDue().filter(late -> late.compareTo(LATE) > 0).isPresent()) {
            found.add(Finding.warning(
                    "late",
                    "jobs wait for longer than " + Words.span(LATE),
                    counts.leased() == 0 ? "is there a worker?" : "more workers, or more concurrency?"));
        }
        if (counts.dead() > 0) {
            found.add(Finding.note(
                    "dead",
                    "dead letters stay until they are redriven or discarded",
                    command.apply("peek " + name + " --state dead")));
        }
        return found;
    }

    /** The findings as JSON. */
    static List<Map<String, Object>> json(List<Finding> found) {
        return found.stream().map(Finding::json).toList();
    }

    static String field(String name, String value) {
        return String.format(Locale.ROOT, "%-11s %s", name, value);
    }
}
