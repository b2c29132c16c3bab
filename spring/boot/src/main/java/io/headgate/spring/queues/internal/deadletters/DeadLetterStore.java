package io.headgate.spring.queues.internal.deadletters;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.queues.streams.ConsumerGroup;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The dead letters of a queue or a consumer group.
 *
 * @param deadLetters lists, discards and redrives them
 * @param finder finds one by its id
 */
public record DeadLetterStore(
        AsyncDeadLetters<byte[]> deadLetters, Function<JobId, CompletionStage<Optional<StoredJob<byte[]>>>> finder) {

    /** Returns the dead letters of a queue. */
    public static DeadLetterStore of(JobQueue<byte[]> queue) {
        return new DeadLetterStore(queue.async().deadLetters(), queue.async()::find);
    }

    /** Returns the dead letters of a group. */
    public static DeadLetterStore of(ConsumerGroup<byte[]> group) {
        return new DeadLetterStore(group.async().deadLetters(), group.async().retriedEntries()::find);
    }
}
