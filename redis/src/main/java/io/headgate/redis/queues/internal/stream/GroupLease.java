package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.AsyncLease;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.Settlement;
import java.util.Optional;

/** The lease of an entry that a group has claimed, from the stream or from the group's retry queue. */
sealed interface GroupLease<T> extends AsyncLease<T>, ClaimedJob<T> permits EntryLease, RetryLease {

    @Override
    Job<T> job();

    @Override
    JobId id();

    /** The deduplication key. */
    Optional<String> key();

    /** The settlement that acknowledges the entry as a duplicate, because another entry with its key is done. */
    Settlement duplicateSettlement();

    /** Whether this group has claimed the entry. */
    boolean isOf(GroupCalls group);
}
