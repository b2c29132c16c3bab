package io.headgate.redis.queues;

import io.headgate.queues.NewJob;
import io.headgate.queues.Priority;
import io.headgate.redis.internal.Packed;

/**
 * A job on its way into a queue.
 *
 * @param due when it is due
 * @param priority its priority
 * @param hasKey whether another one may be the same
 * @param replaces whether it takes the place of that one
 * @param record its record
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EnqueueEntry(Due due, Priority priority, boolean hasKey, boolean replaces, byte[] record) {

    private static final int REPLACES = 64;

    static EnqueueEntry of(NewJob<?> job, byte[] payload) {
        return new EnqueueEntry(
                Due.of(job.due()),
                job.priority(),
                job.key().isPresent(),
                job.key().map(NewJob.JobKey::replaces).orElse(false),
                JobRecord.encode(job, payload));
    }

    /** Whether it is due at once and has no key, so that it can be part of a run. */
    boolean isPlain() {
        return due.kind() == Due.NOW && !hasKey;
    }

    /**
     * What enqueue.lua takes in front of the record.
     *
     * @param together how many from this one on are enqueued all or none; 0 when it is not the first of these
     * @param pair which of the keys are the job's
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
