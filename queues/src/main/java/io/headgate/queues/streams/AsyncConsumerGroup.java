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
 * The asynchronous form of a {@link ConsumerGroup}. Each method that calls the store returns a stage with the result of the blocking
 * method of the same name, and does not block. If the blocking method would throw an exception, the stage fails with it; for an invalid
 * argument, the method throws it immediately.
 *
 * @param <T> the type of the payload
 */
public interface AsyncConsumerGroup<T> {

    /** Returns the settings with which this group was opened. */
    GroupSettings settings();

    /** The asynchronous form of {@link ConsumerGroup#claim(int)}. */
    default CompletionStage<List<AsyncLease<T>>> claim(int max) {
        return claim(max, settings().minIdle());
    }

    /** The asynchronous form of {@link ConsumerGroup#claim(int, Duration)}. */
    CompletionStage<List<AsyncLease<T>>> claim(int max, Duration lease);

    /** The asynchronous form of {@link ConsumerGroup#ackAll(Collection)}. */
    CompletionStage<List<Settled>> ackAll(Collection<AsyncLease<T>> leases);

    /** The asynchronous form of {@link ConsumerGroup#pause()}. */
    CompletionStage<Void> pause();

    /** The asynchronous form of {@link ConsumerGroup#resume()}. */
    CompletionStage<Void> resume();

    /** The asynchronous form of {@link ConsumerGroup#deadLetters()}. */
    AsyncDeadLetters<T> deadLetters();

    /** The asynchronous form of {@link ConsumerGroup#retryCounts()}. */
    CompletionStage<QueueCounts> retryCounts();

    /** The asynchronous form of {@link ConsumerGroup#retriedEntries()}. */
    AsyncRetriedEntries<T> retriedEntries();
}
