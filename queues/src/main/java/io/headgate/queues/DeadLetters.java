package io.headgate.queues;

import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.Page;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The dead letters of a queue or a consumer group: jobs that failed too often, or that were moved here. They stay until you redrive or
 * discard them.
 *
 * <p>Safe for use by any number of threads. Errors are as in {@link JobQueue}.
 *
 * @param <T> the type of the payload
 */
public interface DeadLetters<T> {

    /** Returns the same dead letters with calls that do not block. */
    AsyncDeadLetters<T> async();

    /** Returns the first page of {@link #list(Cursor, int)}. */
    default Page<DeadLetter<T>> list(int max) {
        return list(Cursor.START, max);
    }

    /**
     * Returns a page of dead letters, the oldest first; in a queue of several shards, one shard after the other.
     *
     * @param from {@link Cursor#START}, or {@link Page#next()} of the previous page
     * @param max 1 to 500; the page has fewer dead letters if they are large
     * @throws RuntimeException the exception of the codec, if it cannot decode a payload
     */
    Page<DeadLetter<T>> list(Cursor from, int max);

    /**
     * Returns a page of the ids of dead letters, in the order of {@link #list(Cursor, int)}, without their payloads. A shard that cannot
     * be read ends the page, and the next page starts with the following shard.
     *
     * @param from {@link Cursor#START}, or {@link DeadLetterIds#next()} of the previous page
     * @param max 1 to 500; the page has fewer ids if the dead letters are large
     */
    DeadLetterIds ids(Cursor from, int max);

    /**
     * Returns the dead letter of a job that has been one since this instant. Reads only dead letters, and so is faster than {@link
     * JobQueue#find} for a job that is in another state.
     *
     * @param diedAt {@link DeadLetter#diedAt()}
     * @return empty if the job is no dead letter, or failed again since then
     */
    Optional<DeadLetter<T>> find(JobId id, Instant diedAt);

    /**
     * Returns a dead letter to the queue, due now. Its attempts and crashes restart from zero. It keeps its id and its causes. It gets its
     * key back, unless a waiting or leased job has the key.
     *
     * @return true if it was a dead letter
     * @throws QueueFullException if it is a dead letter, and the queue already has {@linkplain QueueSettings#maxJobs() maxJobs}
     *     jobs
     */
    boolean redrive(JobId id);

    /**
     * Returns a dead letter to the queue as {@link #redrive(JobId)} does, unless it was redriven and failed again since you have seen it.
     *
     * @param diedAt {@link DeadLetter#diedAt()} of the dead letter that you have seen
     * @return true if it was a dead letter since then
     * @throws QueueFullException as of {@link #redrive(JobId)}
     */
    boolean redrive(JobId id, Instant diedAt);

    /**
     * Returns the oldest dead letters to the queue, with due times that are {@code spacing} apart. Redrives no more than the queue has
     * room for.
     *
     * @param max 1 to 500; fewer are redriven if they are large
     * @param spacing the time from one due time to the next, on average if the queue has several shards: 0 to 1 day
     * @return the number of redriven jobs; to redrive all, call again until it is 0
     * @throws QueueFullException if there are dead letters, but none was redriven because the queue already has {@linkplain
     *     QueueSettings#maxJobs() maxJobs} jobs
     */
    int redriveOldest(int max, Duration spacing);

    /**
     * Deletes a dead letter.
     *
     * @return true if it was a dead letter
     */
    boolean discard(JobId id);

    /**
     * Deletes a dead letter, unless it was redriven and failed again since you have seen it.
     *
     * @param diedAt {@link DeadLetter#diedAt()} of the dead letter that you have seen
     * @return true if it was a dead letter since then
     */
    boolean discard(JobId id, Instant diedAt);

    /**
     * Deletes the oldest dead letters.
     *
     * @param max 1 to 500; fewer are deleted if they are large
     * @return the number of deleted jobs; to delete all, call again until it is 0
     */
    int discardOldest(int max);
}
