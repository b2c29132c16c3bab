package io.headgate.queues;

import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.Page;
import java.time.Duration;

/**
 * The dead letters of a queue or a group: kept until somebody has them wait again or removes them.
 *
 * <p>Threads and errors are as of {@link JobQueue}.
 *
 * @param <T> what a payload is
 */
public interface DeadLetters<T> {

    /** The same, asked without blocking. */
    AsyncDeadLetters<T> async();

    /** The first page of {@link #list(Cursor, int)}. */
    default Page<DeadLetter<T>> list(int max) {
        return list(Cursor.START, max);
    }

    /**
     * Shows dead letters, the oldest first.
     *
     * @param from {@link Cursor#START}, or where the page before said
     * @param max how many to show at most: 1 to 500; fewer when they are large
     * @throws RuntimeException what the codec throws, when it can't decode a payload
     */
    Page<DeadLetter<T>> list(Cursor from, int max);

    /**
     * Has a dead letter wait again, due at once, with its attempts and crashes counted anew; it keeps its id and its causes.
     *
     * @return whether it was a dead letter
     * @throws QueueFullException when it is one, and the queue has as many jobs as it may
     */
    boolean redrive(JobId id);

    /**
     * Has the oldest dead letters wait again, spaced out in time, so that not all come at once: as many as the queue has room
     * for.
     *
     * @param max how many at most: 1 to 500; fewer when they are large
     * @param spacing from one's due time to the next one's: 0 to 1 day
     * @return how many wait again; call again until it is 0
     * @throws QueueFullException when there are dead letters, and the queue has as many jobs as it may
     */
    int redriveOldest(int max, Duration spacing);

    /**
     * Removes a dead letter for good.
     *
     * @return whether it was a dead letter
     */
    boolean discard(JobId id);

    /**
     * Removes the oldest dead letters for good.
     *
     * @param max how many at most: 1 to 500; fewer when they are large
     * @return how many there were; call again until it is 0
     */
    int discardOldest(int max);
}
