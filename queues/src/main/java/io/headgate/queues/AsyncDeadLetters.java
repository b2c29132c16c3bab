package io.headgate.queues;

import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.Page;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * {@link DeadLetters} with calls that do not block. Each method returns a stage with the result of its namesake. If the
 * namesake would throw, the stage fails with that exception; an invalid argument throws at once.
 *
 * @param <T> the type of the payload
 */
public interface AsyncDeadLetters<T> {

    /** {@link DeadLetters#list(int)}. */
    default CompletionStage<Page<DeadLetter<T>>> list(int max) {
        return list(Cursor.START, max);
    }

    /** {@link DeadLetters#list(Cursor, int)}. */
    CompletionStage<Page<DeadLetter<T>>> list(Cursor from, int max);

    /** {@link DeadLetters#redrive(JobId)}. */
    CompletionStage<Boolean> redrive(JobId id);

    /** {@link DeadLetters#redriveOldest(int, Duration)}. */
    CompletionStage<Integer> redriveOldest(int max, Duration spacing);

    /** {@link DeadLetters#discard(JobId)}. */
    CompletionStage<Boolean> discard(JobId id);

    /** {@link DeadLetters#discardOldest(int)}. */
    CompletionStage<Integer> discardOldest(int max);
}
