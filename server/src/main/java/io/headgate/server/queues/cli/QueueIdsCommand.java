package io.headgate.server.queues.cli;

import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.JobId;
import io.headgate.queues.QueueEngine;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.audit.CommandAudit;
import io.headgate.server.queues.JobChange;
import io.headgate.server.queues.OperatedQueues;
import io.headgate.server.text.Quoted;
import io.headgate.server.text.Words;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Parameters;

/** A command that makes the same change to each of the given jobs, and prints the outcome of each. */
abstract class QueueIdsCommand extends QueueChangeCommand {

    /** With more jobs, one record stands for all of them, so that they do not displace other records. */
    private static final int MAX_RECORDS = 20;

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
        Map<JobId, JobChange.Outcome> outcomes = Collections.synchronizedMap(new LinkedHashMap<>());
        if (isDryRun()) {
            ids().forEach(id -> outcomes.put(id, OperatedQueues.await(change.dryRun(queue, id))));
        } else {
            confirm();
            change(queue, outcomes);
        }
        List<Map<String, Object>> jobs = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        outcomes.forEach((id, outcome) -> {
            lines.add(id + ": " + text(outcome));
            Map<String, Object> job = new LinkedHashMap<>();
            job.put("id", id.value());
            job.put(isDryRun() ? "wouldChange" : "changed", outcome.done());
            job.put("outcome", outcome.text());
            jobs.add(job);
        });
        Map<String, Object> members = members();
        members.put("jobs", jobs);
        output(members, lines);
        return outcomes.values().stream().allMatch(JobChange.Outcome::done) ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private void change(AsyncJobQueue<byte[]> queue, Map<JobId, JobChange.Outcome> outcomes) {
        if (jobs() <= MAX_RECORDS) {
            ids().forEach(id -> outcomes.put(id, changed(queue, id)));
            return;
        }
        String operation = Words.lower(change);
        recorded(
                new Change(change.action(), operation, " " + jobs() + " jobs", AuditedChange.of(name())),
                () -> ids().forEach(id -> outcomes.put(id, OperatedQueues.await(change.apply(queue, id)))),
                () -> outcome(outcomes));
    }

    /** The outcome of many jobs in one record. */
    private CommandAudit.Outcome outcome(Map<JobId, JobChange.Outcome> outcomes) {
        List<JobChange.Outcome> all = List.copyOf(outcomes.values());
        long done = all.stream().filter(JobChange.Outcome::done).count();
        Map<String, Object> after = new LinkedHashMap<>();
        after.put("changed", done);
        after.put("notChanged", all.size() - done);
        return new CommandAudit.Outcome(
                done > 0,
                "changed " + Words.count(done, "job") + ", not changed " + (all.size() - done),
                AuditedChange.of(name()).to(after),
                all.size());
    }

    private JobChange.Outcome changed(AsyncJobQueue<byte[]> queue, JobId id) {
        return recorded(
                new Change(
                        change.action(),
                        Words.lower(change),
                        " job " + Quoted.of(id.value()),
                        AuditedChange.of(name() + "/" + id.value())),
                () -> OperatedQueues.await(change.apply(queue, id)),
                outcome ->
                        new CommandAudit.Outcome(outcome.done(), text(outcome), change.audited(name(), id, outcome)));
    }

    private static String text(JobChange.Outcome outcome) {
        return (outcome.done() || outcome.isUnknown() ? "" : "not changed, because its state is ") + outcome.text();
    }
}
