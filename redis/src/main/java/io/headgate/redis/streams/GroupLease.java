package io.headgate.redis.streams;

import io.headgate.queues.AsyncLease;

/** An entry that a group has in hand: from the stream, or from the queue of what is tried again. */
sealed interface GroupLease<T> extends AsyncLease<T> permits EntryLease, RetryLease {

    /** Whether that group handed it out. */
    boolean isOf(RedisAsyncConsumerGroup<?> other);
}
