package io.headgate.queues.streams;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.AsyncLease;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.QueueCounts;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A {@link ConsumerGroup} that is asked without blocking: each method answers what its namesake does, and fails with what
 * that one throws; a bad argument is refused at once.
 *
 * @param <T> what a payload is
 */
public interface AsyncConsumerGroup<T> {

    /** The name of the group, and how it goes on. */
    GroupSettings settings();

    /** {@link ConsumerGroup#claim(int)}. */
    default CompletionStage<List<AsyncLease<T>>> claim(int max) {
        return claim(max, settings().minIdle());
    }

    /** {@link ConsumerGroup#claim(int, Duration)}. */
    CompletionStage<List<AsyncLease<T>>> claim(int max, Duration lease);

    /** {@link ConsumerGroup#ackAll(Collection)}. */
    CompletionStage<List<Settled>> ackAll(Collection<AsyncLease<T>> leases);

    /** {@link ConsumerGroup#pause()}. */
    CompletionStage<Void> pause();

    /** {@link ConsumerGroup#resume()}. */
    CompletionStage<Void> resume();

    /** {@link ConsumerGroup#deadLetters()}. */
    AsyncDeadLetters<T> deadLetters();

    /** {@link ConsumerGroup#retries()}. */
    CompletionStage<QueueCounts> retries();

    /** {@link ConsumerGroup#retriedEntries()}. */
    AsyncRetriedEntries<T> retriedEntries();
}
