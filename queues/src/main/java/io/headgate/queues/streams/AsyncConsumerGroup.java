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
 * A {@link ConsumerGroup} with calls that do not block. Each method returns a stage with the result of its namesake. If the
 * namesake would throw, the stage fails with that exception; an invalid argument throws at once.
 *
 * @param <T> the type of the payload
 */
public interface AsyncConsumerGroup<T> {

    /** Returns the settings with which this group was opened. */
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
