package io.headgate.queues;

import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.Page;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The asynchronous form of {@link DeadLetters}. Each method returns a stage with the result of the blocking method of the same name,
 * and does not block. If the blocking method would throw an exception, the stage fails with it. For an invalid argument, the method
 * throws the exception immediately; for an invalid cursor, the stage may fail with it instead. Callbacks of the stages must not block,
 * unless you run them on threads of your own.
 *
 * @param <T> the type of the payload
 */
public interface AsyncDeadLetters<T> {

    /** The asynchronous form of {@link DeadLetters#list(int)}. */
    default CompletionStage<Page<DeadLetter<T>>> list(int max) {
        return list(Cursor.START, max);
    }

    /** The asynchronous form of {@link DeadLetters#list(Cursor, int)}. */
    CompletionStage<Page<DeadLetter<T>>> list(Cursor from, int max);

    /** The asynchronous form of {@link DeadLetters#ids(Cursor, int)}. */
    CompletionStage<DeadLetterIds> ids(Cursor from, int max);

    /** The asynchronous form of {@link DeadLetters#find(JobId, Instant)}. */
    CompletionStage<Optional<DeadLetter<T>>> find(JobId id, Instant diedAt);

    /** The asynchronous form of {@link DeadLetters#redrive(JobId)}. */
    CompletionStage<Boolean> redrive(JobId id);

    /** The asynchronous form of {@link DeadLetters#redrive(JobId, Instant)}. */
    CompletionStage<Boolean> redrive(JobId id, Instant diedAt);

    /** The asynchronous form of {@link DeadLetters#redriveOldest(int, Duration)}. */
    CompletionStage<Integer> redriveOldest(int max, Duration spacing);

    /** The asynchronous form of {@link DeadLetters#discard(JobId)}. */
    CompletionStage<Boolean> discard(JobId id);

    /** The asynchronous form of {@link DeadLetters#discard(JobId, Instant)}. */
    CompletionStage<Boolean> discard(JobId id, Instant diedAt);

    /** The asynchronous form of {@link DeadLetters#discardOldest(int)}. */
    CompletionStage<Integer> discardOldest(int max);
}
