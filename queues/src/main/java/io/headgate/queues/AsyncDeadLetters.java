package io.headgate.queues;

import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.Page;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * {@link DeadLetters} that are asked without blocking: each method answers what its namesake does, and fails with what that
 * one throws; a bad argument is refused at once.
 *
 * @param <T> what a payload is
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
