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
 * @param bytes the size of their records
 * @param notPlain how many can't be part of a run
 * @param plain their lane, if it is the same and each can be part of a run. A single job with a tenant is not plain: so jobs of many
 *     tenants that are enqueued concurrently share a call
 */
public record EnqueueGroup(List<Entry> jobs, long bytes, int notPlain, Optional<Lane> plain) {

    /**
     * Where jobs wait that are due now.
     *
     * @param priority their priority
     * @param tenant their tenant, if they have one
     */
    public record Lane(Priority priority, Optional<String> tenant) {}

    /** Returns the jobs with these indexes, as a group. */
    public EnqueueGroup part(List<Integer> indexes) {
        return of(indexes.stream().map(jobs::get).toList());
    }

    public static EnqueueGroup of(List<Entry> jobs) {
        Lane first = jobs.get(0).lane();
        long bytes = 0;
        int notPlain = 0;
        boolean oneLane = first.tenant().isEmpty() || jobs.size() > 1;
        for (Entry job : jobs) {
            bytes += job.record().length;
            notPlain += job.isPlain() ? 0 : 1;
            oneLane &= job.lane().equals(first);
        }
        return new EnqueueGroup(
                jobs, bytes, notPlain, notPlain == 0 && oneLane ? Optional.of(first) : Optional.empty());
    }

    /** Whether a job has a tenant. */
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

        /** Whether it is due now and has no key, so that it can be part of a run. */
        boolean isPlain() {
            return due.kind() == Due.NOW && !hasKey;
        }

        /**
         * The argument of enqueue.lua before the record.
         *
         * @param together how many jobs from this one on are enqueued atomically; 0 if it is not the first of them
         * @param pair the number of the pair of keys of its priority
         */
        byte[] argument(int together, int pair) {
            Packed argument =
                    new Packed().number(together, 2).number(due.kind() + 4L * pair + (replaces ? REPLACES : 0), 1);
            if (due.kind() != Due.NOW) {
                argument.number(due.micros(), 7);
            }
            return argument.bytes();
        }
    }
}
