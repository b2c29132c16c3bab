package io.headgate.redis.queues;

import io.headgate.queues.Cursor;
import io.headgate.queues.JobId;
import io.headgate.queues.JobState;
import io.headgate.queues.Page;
import io.headgate.redis.internal.Packed;
import io.headgate.redis.internal.ScriptCall;
import java.util.ArrayList;
import java.util.List;

/** Turns what is asked of single jobs of a queue, and their removal, into script calls; does no I/O. */
record LookPlanner(QueuePlanner planner) {

    private static final Cursors READY = new Cursors(2, 24);
    private static final Cursors DELAYED = new Cursors(3, 14);
    private static final Cursors LEASED = new Cursors(4, 21);

    /** Looks for a job, from there on among the claims; nothing is at the beginning. */
    ScriptCall<FindReply> find(JobId id, byte[] from) {
        return planner.call(
                planner.scripts().find, planner.keys().all(), List.of(JobIds.bytes(id), from), FindReply::of);
    }

    /** Shows a page of the jobs in a state. */
    ScriptCall<Page<RawJob>> jobs(JobState.Kind kind, Cursor from, int most) {
        byte[] count = Packed.text(most);
        QueueScripts scripts = planner.scripts();
        QueueKeys keys = planner.keys();
        return switch (kind) {
            case READY ->
                planner.call(
                        scripts.jobsReady,
                        keys.counts(),
                        List.of(READY.position(from), count),
                        reply -> READY.page(reply, runs -> waiting(runs, new JobState.Ready())));
            case DELAYED ->
                planner.call(
                        scripts.jobsDelayed,
                        keys.counts(),
                        List.of(DELAYED.position(from), count),
                        reply -> DELAYED.page(reply, runs -> waiting(runs, new JobState.Delayed())));
            case LEASED ->
                planner.call(
                        scripts.jobsLeased,
                        keys.all(),
                        List.of(LEASED.position(from), count),
                        reply -> LEASED.page(reply, LookPlanner::leased));
            case DEAD -> planner.deadLetters(from, most, LookPlanner::dead);
        };
    }

    private static List<RawJob> waiting(byte[] runs, JobState state) {
        return JobRecord.all(runs).stream()
                .map(record -> new RawJob(record, state))
                .toList();
    }

    private static List<RawJob> dead(byte[] runs) {
        return JobRecord.all(runs).stream()
                .map(record -> new RawJob(record, new JobState.Dead(Times.instant(record.dueMicros()))))
                .toList();
    }

    private static List<RawJob> leased(byte[] reply) {
        List<RawJob> jobs = new ArrayList<>();
        int at = 0;
        while (at < reply.length) {
            JobState state = new JobState.Leased(Times.instant(Packed.number(reply, at, Times.BYTES)));
            JobRecord record = JobRecord.some(reply, at + Times.BYTES, 1).get(0);
            jobs.add(new RawJob(record, state));
            at = record.end();
        }
        return jobs;
    }

    /** Removes jobs that are due, or those that are due later. */
    ScriptCall<PurgeReply> purge(boolean ready, int most) {
        return planner.call(
                ready ? planner.scripts().purgeReady : planner.scripts().purgeDelayed,
                planner.keys().all(),
                List.of(Packed.text(most)),
                reply -> new PurgeReply((int) Packed.number(reply, 1, 6), reply[0] != 0));
    }

    /**
     * What came of removing jobs.
     *
     * @param count how many there were
     * @param more whether there may be more
     */
    record PurgeReply(int count, boolean more) {}
}
