package io.headgate.server.queues.cli;

import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.JobId;
import io.headgate.queues.QueueEngine;
import io.headgate.server.queues.JobChange;
import io.headgate.server.queues.OperatedQueues;
import io.headgate.server.text.Quoted;
import io.headgate.server.text.Words;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Parameters;

/** A command that makes the same change to each of the given jobs, and prints the outcome of each. */
abstract class QueueIdsCommand extends QueueChangeCommand {

    @Parameters(
            paramLabel = "ID",
            index = "1..*",
            arity = "1..*",
            description = "Which jobs: their ids, as enqueue and peek print them.")
    private List<String> given = new ArrayList<>();

    private final JobChange change;

    QueueIdsCommand(JobChange change) {
        this.change = change;
    }

    abstract boolean isDryRun();

    @Override
    final boolean changes() {
        return !isDryRun();
    }

    /** Asks for confirmation if it is required; fails if it is not given. */
    abstract void confirm();

    @Override
    void check() {
        ids(); // throws if one is invalid
    }

    private List<JobId> ids() {
        return given.stream().distinct().map(JobId::new).toList();
    }

    /** The number of different jobs that are given. */
    int jobs() {
        return ids().size();
    }

    @Override
    int change(QueueEngine queues) {
        AsyncJobQueue<byte[]> queue = existing(queues).async();
        if (!isDryRun()) {
            confirm();
        }
        List<Map<String, Object>> jobs = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        boolean all = true;
        for (JobId id : ids()) {
            JobChange.Outcome outcome =
                    isDryRun() ? OperatedQueues.await(change.dryRun(queue, id)) : changed(queue, id);
            all &= outcome.done();
            lines.add(id + ": " + text(outcome));
            Map<String, Object> job = new LinkedHashMap<>();
            job.put("id", id.value());
            job.put(isDryRun() ? "wouldChange" : "changed", outcome.done());
            job.put("outcome", outcome.text());
            jobs.add(job);
        }
        Map<String, Object> members = members();
        members.put("jobs", jobs);
        output(members, lines);
        return all ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private JobChange.Outcome changed(AsyncJobQueue<byte[]> queue, JobId id) {
        return logged(
                Words.lower(change),
                " job " + Quoted.of(id.value()),
                () -> OperatedQueues.await(change.apply(queue, id)),
                QueueIdsCommand::text);
    }

    private static String text(JobChange.Outcome outcome) {
        return (outcome.done() || outcome.isUnknown() ? "" : "not changed, because its state is ") + outcome.text();
    }
}
