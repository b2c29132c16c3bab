package io.headgate.server.queues.cli;

import io.headgate.queues.Job;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.server.queues.PayloadText;
import io.headgate.server.text.Words;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The details of a job as text for a terminal. */
final class JobText {

    private static final int LONGEST_SHOWN = 4000;
    private static final int LONGEST_LINE = 500;

    /** The line break before each line of a stack trace. */
    private static final Pattern TRACE_LINE_BREAK = Pattern.compile("\n(?=\tat |Caused by: )");

    private JobText() {}

    /** The instant, truncated to milliseconds. */
    static String time(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    static List<String> lines(String queue, StoredJob<byte[]> stored) {
        Job<byte[]> job = stored.job();
        List<String> lines = new ArrayList<>();
        lines.add(QueueText.field("job", job.id() + " of " + queue));
        lines.add(QueueText.field("state", state(stored.state())));
        lines.add(QueueText.field("due at", time(job.dueAt())));
        lines.add(QueueText.field("priority", Words.lower(job.priority())));
        job.key().ifPresent(key -> lines.add(QueueText.field("key", PayloadText.oneLine(key, LONGEST_LINE))));
        job.tenant().ifPresent(tenant -> lines.add(QueueText.field("tenant", tenant)));
        for (Map.Entry<String, String> header : new TreeMap<>(job.headers()).entrySet()) {
            lines.add(QueueText.field(
                    "header",
                    PayloadText.oneLine(header.getKey(), LONGEST_LINE) + ": "
                            + PayloadText.oneLine(header.getValue(), LONGEST_LINE)));
        }
        boolean isLeased = stored.state() instanceof JobState.Leased;
        lines.add(QueueText.field(
                "attempts", isLeased ? job.attempt() + ", of which one is in progress" : job.attempt() + " failed"));
        lines.add(QueueText.field("deliveries", Integer.toString(job.delivery())));
        lines.add(QueueText.field("crashes", Integer.toString(job.crashes())));
        job.causes().forEach(cause -> addCause(lines, cause));
        lines.add(QueueText.field("payload", PayloadText.size(job.payload())));
        lines.add("");
        lines.add(PayloadText.oneLine(job.payload(), LONGEST_SHOWN));
        return lines;
    }

    /** The last failure in one line, if there is one. */
    static Optional<String> lastFailure(Job<?> job, int most) {
        return job.causes().isEmpty()
                ? Optional.empty()
                : Optional.of(PayloadText.oneLine(
                        TRACE_LINE_BREAK.split(job.causes().get(job.causes().size() - 1))[0], most));
    }

    /** The failure, followed by the lines of its stack trace. */
    private static void addCause(List<String> lines, String cause) {
        String[] parts = TRACE_LINE_BREAK.split(cause);
        lines.add(QueueText.field("cause", PayloadText.oneLine(parts[0], LONGEST_LINE)));
        for (int i = 1; i < parts.length; i++) {
            String indent = parts[i].startsWith("\t") ? "    " : "";
            lines.add(QueueText.field("", indent + PayloadText.oneLine(parts[i].strip(), LONGEST_LINE)));
        }
    }

    private static String state(JobState state) {
        if (state instanceof JobState.Leased leased) {
            return "leased, until " + time(leased.expiresAt()) + " unless the lease is extended";
        }
        if (state instanceof JobState.Dead dead) {
            return "dead, since " + time(dead.since());
        }
        return state instanceof JobState.Done done ? "done, since " + time(done.since()) : Words.lower(state.kind());
    }
}
