package io.headgate.redis.streams;

import io.headgate.queues.AsyncLease;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.internal.ClaimedJob;
import io.headgate.queues.internal.Settlement;
import java.util.Optional;

/** An entry that a group has in hand: from the stream, or from the queue of what is tried again. */
sealed interface GroupLease<T> extends AsyncLease<T>, ClaimedJob<T> permits EntryLease, RetryLease {

    @Override
    Job<T> job();

    @Override
    JobId id();

    /** What makes it the same as another entry, if anything does. */
    Optional<String> key();

    /** That it is done, as another of its key was before it. */
    Settlement duplicateSettlement();

    /** Whether that group handed it out. */
    boolean isOf(RedisAsyncConsumerGroup<?> other);
}
