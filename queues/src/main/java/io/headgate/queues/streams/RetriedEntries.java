package io.headgate.queues.streams;

import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.StoredJob;
import java.util.Optional;

/**
 * The retried entries of a consumer group, which are stored as jobs in a queue of the group. A retried entry has the id of its job; the
 * header {@code headgate-entry} has the id of the entry.
 *
 * <p>Safe for use by any number of threads. Errors are as in {@link JobQueue}.
 *
 * @param <T> the type of the payload
 */
public interface RetriedEntries<T> {

    /** Returns the same retried entries with calls that do not block. */
    AsyncRetriedEntries<T> async();

    /**
     * Returns a retried entry with its state, as {@link JobQueue#find} does.
     *
     * @param id an id from {@link #list} or {@link ConsumerGroup#deadLetters}, not that of a lease, which is the id of the entry
     */
    Optional<StoredJob<T>> find(JobId id);

    /** Returns the first page of {@link #list(JobState.Kind, Cursor, int)}. */
    default Page<StoredJob<T>> list(JobState.Kind kind, int max) {
        return list(kind, Cursor.START, max);
    }

    /** Returns a page of the retried entries in a state, as {@link JobQueue#jobs(JobState.Kind, Cursor, int)} does. */
    Page<StoredJob<T>> list(JobState.Kind kind, Cursor from, int max);

    /** Checks the group's queue as {@link JobQueue#audit} does. */
    AuditReport audit();

    /**
     * Checks and repairs the group's queue as {@link JobQueue#repair} does. If the queue is paused afterwards, {@link
     * ConsumerGroup#resume} resumes it.
     */
    AuditReport repair();
}
