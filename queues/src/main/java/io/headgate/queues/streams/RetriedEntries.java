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
 * The entries of a group that are tried again, looked at as its own queue has them: an id there is not the entry's, which the
 * header {@code headgate-entry} tells.
 *
 * <p>Threads and errors are as of {@link JobQueue}.
 *
 * @param <T> what a payload is
 */
public interface RetriedEntries<T> {

    /** The same, asked without blocking. */
    AsyncRetriedEntries<T> async();

    /** {@link JobQueue#find}. */
    Optional<StoredJob<T>> find(JobId id);

    /** The first page of {@link #list(JobState.Kind, Cursor, int)}. */
    default Page<StoredJob<T>> list(JobState.Kind kind, int max) {
        return list(kind, Cursor.START, max);
    }

    /** {@link JobQueue#jobs(JobState.Kind, Cursor, int)}. */
    Page<StoredJob<T>> list(JobState.Kind kind, Cursor from, int max);

    /** {@link JobQueue#audit} of the group's queue. */
    AuditReport audit();

    /** {@link JobQueue#repair} of the group's queue; where that is paused afterwards, {@link ConsumerGroup#resume} ends it. */
    AuditReport repair();
}
