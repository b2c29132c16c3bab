package io.headgate.redis.queues;

import io.headgate.queues.Priority;
import java.util.List;
import java.util.Optional;

/**
 * Jobs that are enqueued atomically, all or none.
 *
 * @param jobs at least one job
 * @param bytes the size of their records
 * @param notPlain how many can't be part of a run
 * @param plain their priority, if it is the same and each can be part of a run
 */
record EnqueueGroup(List<EnqueueEntry> jobs, long bytes, int notPlain, Optional<Priority> plain) {

    /** Returns the jobs with these indexes, as a group. */
    EnqueueGroup part(List<Integer> indexes) {
        return of(indexes.stream().map(jobs::get).toList());
    }

    static EnqueueGroup of(List<EnqueueEntry> jobs) {
        Priority first = jobs.get(0).priority();
        long bytes = 0;
        int notPlain = 0;
        boolean onePriority = true;
        for (EnqueueEntry job : jobs) {
            bytes += job.record().length;
            notPlain += job.isPlain() ? 0 : 1;
            onePriority &= job.priority() == first;
        }
        return new EnqueueGroup(
                jobs, bytes, notPlain, notPlain == 0 && onePriority ? Optional.of(first) : Optional.empty());
    }
}
