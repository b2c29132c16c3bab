package io.headgate.redis.queues;

import io.headgate.queues.Priority;
import java.util.List;
import java.util.Optional;

/**
 * Jobs that are enqueued all or none.
 *
 * @param jobs at least one
 * @param bytes of all their records
 * @param plain their priority, when they have the same one and each can be part of a run
 */
record EnqueueGroup(List<EnqueueEntry> jobs, long bytes, Optional<Priority> plain) {

    static EnqueueGroup of(List<EnqueueEntry> jobs) {
        Priority first = jobs.get(0).priority();
        long bytes = 0;
        boolean plain = true;
        for (EnqueueEntry job : jobs) {
            bytes += job.record().length;
            plain &= job.isPlain() && job.priority() == first;
        }
        return new EnqueueGroup(jobs, bytes, plain ? Optional.of(first) : Optional.empty());
    }
}
