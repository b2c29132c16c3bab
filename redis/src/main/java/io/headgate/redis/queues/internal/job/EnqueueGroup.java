package io.headgate.redis.queues.internal.job;

import io.headgate.queues.NewJob;
import io.headgate.queues.Priority;
import io.headgate.redis.internal.script.Packed;
import java.util.List;
import java.util.Optional;

/**
 * Jobs that are enqueued atomically, all or none.
 *
 * @param jobs at least one job
 * @param bytes the total size of the records
 * @param delayedOrKeyed how many jobs can't be stored together in a run, because they have a key, a delay or a due time
 * @param plain the lane of all jobs, if they are in one lane and each can be part of a run; otherwise empty. It is also empty for a
 *     single job with a tenant, so that concurrently enqueued jobs of many tenants share a call
 */
public record EnqueueGroup(List<Entry> jobs, long bytes, int delayedOrKeyed, Optional<Lane> plain) {

    /**
     * A lane: the list and the sorted set in which jobs of one priority and tenant wait.
     *
     * @param priority the priority
     * @param tenant the tenant; empty for jobs without a tenant
     */
    public record Lane(Priority priority, Optional<String> tenant) {}

    /** Returns the jobs with these indexes, as a group. */
    public EnqueueGroup part(List<Integer> indexes) {
        return of(indexes.stream().map(jobs::get).toList());
    }

    public static EnqueueGroup of(List<Entry> jobs) {
        Lane first = jobs.get(0).lane();
        long bytes = 0;
        int delayedOrKeyed = 0;
        boolean oneLane = first.tenant().isEmpty() || jobs.size() > 1;
        for (Entry job : jobs) {
            bytes += job.record().length;
            delayedOrKeyed += job.isPlain() ? 0 : 1;
            oneLane &= job.lane().equals(first);
        }
        return new EnqueueGroup(
                jobs, bytes, delayedOrKeyed, delayedOrKeyed == 0 && oneLane ? Optional.of(first) : Optional.empty());
    }

    /** Whether any of the jobs has a tenant. */
    public boolean hasTenants() {
        return jobs.stream().anyMatch(job -> job.lane().tenant().isPresent());
    }

    /**
     * An encoded job to enqueue.
     *
     * @param due when it is due
     * @param lane its priority and tenant
     * @param hasKey whether it has a deduplication key
     * @param replaces whether it replaces a waiting job with the same key
     * @param record its record
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Entry(Due due, Lane lane, boolean hasKey, boolean replaces, byte[] record) {

        private static final int REPLACES = 64;

        public static Entry of(NewJob<?> job, byte[] payload) {
            return new Entry(
                    Due.of(job.due()),
                    new Lane(job.priority(), job.tenant()),
                    job.key().isPresent(),
                    job.key().map(NewJob.JobKey::replaces).orElse(false),
                    JobRecord.encode(job, payload));
        }

        Priority priority() {
            return lane.priority();
        }

        /** Whether it has no delay, due time or key, so that it can be part of a run. */
        boolean isPlain() {
            return due.kind() == Due.NOW && !hasKey;
        }

        /**
         * The argument of enqueue in enqueue.lua that precedes the record.
         *
         * @param groupSize how many jobs the group of this job has, if it is the first job of its group; otherwise 0
         * @param pair the index, from 1, of the pair of Redis keys of its priority
         */
        byte[] argument(int groupSize, int pair) {
            Packed argument =
                    new Packed().number(groupSize, 2).number(due.kind() + 4L * pair + (replaces ? REPLACES : 0), 1);
            if (due.kind() != Due.NOW) {
                argument.number(due.micros(), 7);
            }
            return argument.bytes();
        }
    }
}
