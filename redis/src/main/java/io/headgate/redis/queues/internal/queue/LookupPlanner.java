package io.headgate.redis.queues.internal.queue;

import io.headgate.queues.Codec;
import io.headgate.queues.JobId;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.queues.internal.Utf8;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.queues.internal.job.Cursors;
import io.headgate.redis.queues.internal.job.JobIds;
import io.headgate.redis.queues.internal.job.JobRecord;
import io.headgate.redis.queues.internal.job.QueueKeys;
import io.headgate.redis.queues.internal.job.Times;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Makes the script calls that look up, list and purge jobs of a queue; does no I/O. */
record LookupPlanner(QueuePlanner planner) {

    /** Each with its kind, and the length of the position that its script in jobs.lua or dead_letters.lua returns. */
    private static final Cursors READY = new Cursors(2, 24);

    private static final Cursors DELAYED = new Cursors(3, 14);
    private static final Cursors LEASED = new Cursors(4, 21);
    private static final Cursors DONE = new Cursors(5, 13);

    /**
     * Looks up a job.
     *
     * @param from the position among the claims from which the search continues; empty for the first call
     */
    ScriptCall<FindResult> find(JobId id, byte[] from) {
        return planner.call(
                planner.scripts().ofOneLane().find,
                planner.keys().lane(id.tenant()).allAndDone(),
                List.of(JobIds.bytes(id), from),
                FindResult::of);
    }

    /** Whether jobs in this state are stored in the lanes of their tenants. */
    boolean isInLanes(JobState.Kind kind) {
        return planner.scripts().hasTenants() && (kind == JobState.Kind.READY || kind == JobState.Kind.DELAYED);
    }

    /**
     * Lists a page of the jobs in a state.
     *
     * @param tenant the tenant whose ready or delayed jobs are listed; empty for jobs without a tenant, and for other states
     */
    ScriptCall<Page<RawJob>> jobs(Optional<String> tenant, JobState.Kind kind, Cursor from, int max) {
        byte[] count = Packed.text(max);
        QueueScripts scripts = planner.scripts().ofOneLane();
        QueueKeys keys = planner.keys().lane(tenant);
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
                        reply -> LEASED.page(reply, LookupPlanner::leased));
            case DEAD -> planner.deadLetters(from, max, LookupPlanner::dead);
            // dead_letters lists the jobs of either sorted set.
            case DONE ->
                planner.call(
                        scripts.deadLetters,
                        keys.doneJobs(),
                        List.of(DONE.position(from), count),
                        reply -> DONE.page(reply, LookupPlanner::done));
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

    private static List<RawJob> done(byte[] runs) {
        return JobRecord.all(runs).stream()
                .map(record -> new RawJob(record, new JobState.Done(Times.instant(record.dueMicros()))))
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

    /**
     * Removes ready, delayed or done jobs.
     *
     * @param tenant the tenant whose ready or delayed jobs are removed; empty for jobs without a tenant, and for done jobs
     */
    ScriptCall<PurgeReply> purge(Optional<String> tenant, JobState.Kind kind, int max) {
        QueueScripts scripts = planner.scripts().of(tenant);
        boolean done = kind == JobState.Kind.DONE;
        return planner.call(
                done ? scripts.purgeDone : kind == JobState.Kind.READY ? scripts.purgeReady : scripts.purgeDelayed,
                done ? planner.keys().allAndDone() : planner.keys().lane(tenant).all(),
                List.of(Packed.text(max)),
                reply -> new PurgeReply((int) Packed.number(reply, 1, 6), reply[0] != 0));
    }

    /** Lists tenants that have waiting jobs, by name, after the given one; some may have no waiting job any more. */
    ScriptCall<List<String>> tenants(String after, int max) {
        return planner.call(
                planner.scripts().withTenants().listTenants,
                new String[] {planner.keys().header()},
                List.of(Utf8.of(after), Packed.text(max)),
                reply -> {
                    List<String> names = new ArrayList<>();
                    for (int at = 0; at < reply.length; at += 1 + reply[at]) {
                        names.add(Utf8.text(reply, at + 1, reply[at]));
                    }
                    return names;
                });
    }

    /** Counts the delayed jobs of some tenants, to correct counts in which they are counted as ready. */
    ScriptCall<LaneCounts> laneCounts(List<String> tenants) {
        return planner.call(
                planner.scripts().withTenants().laneCounts,
                new String[] {planner.keys().header()},
                tenants.stream().map(Utf8::of).toList(),
                reply -> new LaneCounts(Packed.number(reply, 0, 6), Packed.signed(reply, 6, 7)));
    }

    /**
     * The counts of the lanes of some tenants.
     *
     * @param delayed the number of delayed jobs
     * @param dueForMicros for how long the oldest ready job has been due; negative if none is ready
     */
    record LaneCounts(long delayed, long dueForMicros) {

        /** Corrects counts in which these delayed jobs are counted as ready. */
        QueueCounts correct(QueueCounts counts) {
            long moved = Math.min(delayed, counts.ready());
            Optional<Duration> due =
                    dueForMicros < 0 ? Optional.empty() : Optional.of(Duration.of(dueForMicros, ChronoUnit.MICROS));
            return new QueueCounts(
                    counts.ready() - moved,
                    counts.delayed() + moved,
                    counts.leased(),
                    counts.dead(),
                    counts.done(),
                    counts.paused(),
                    Stream.concat(counts.oldestDue().stream(), due.stream()).max(Comparator.naturalOrder()));
        }
    }

    /**
     * The reply of a script that removes jobs.
     *
     * @param count how many jobs were removed
     * @param more whether there may be more jobs to remove
     */
    record PurgeReply(int count, boolean more) {}

    /**
     * A job as stored in Redis, not yet decoded, and its state.
     *
     * @param record the record
     * @param state the state
     */
    record RawJob(JobRecord record, JobState state) {

        <T> StoredJob<T> decode(Codec<T> codec, int shard) {
            boolean leased = state instanceof JobState.Leased;
            return new StoredJob<>(leased ? record.decode(codec, shard) : record.decodeIdle(codec, shard), state);
        }
    }

    /** The reply of find.lua. */
    sealed interface FindResult {

        /** The job; empty when it does not exist. */
        record Found(Optional<RawJob> job) implements FindResult {}

        /**
         * The job was not found yet, and the search must continue.
         *
         * @param from the position to continue from
         */
        @SuppressWarnings("ArrayRecordComponent") // never compared
        record Continue(byte[] from) implements FindResult {}

        static FindResult of(byte[] reply) {
            if (reply[0] == 0) {
                return new Found(Optional.empty());
            }
            if (reply[0] == 1) {
                return new Continue(Arrays.copyOfRange(reply, 1, reply.length));
            }
            JobRecord record = JobRecord.some(reply, 1 + Times.BYTES, 1).get(0);
            long at = Packed.number(reply, 1, Times.BYTES);
            JobState state =
                    switch (reply[0]) {
                        case 2 -> new JobState.Ready();
                        case 3 -> new JobState.Delayed();
                        case 4 -> new JobState.Leased(Times.instant(at));
                        case 5 -> new JobState.Dead(Times.instant(at));
                        case 6 -> new JobState.Done(Times.instant(at));
                        default -> throw new IllegalStateException("unknown state of a job: " + reply[0]);
                    };
            return new Found(Optional.of(new RawJob(record, state)));
        }
    }
}
