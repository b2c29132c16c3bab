package io.headgate.queues.streams;

import io.headgate.queues.JobId;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.StoredJob;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * {@link RetriedEntries} that are asked without blocking: each method answers what its namesake does, and fails with what that
 * one throws; a bad argument is refused at once.
 *
 * @param <T> what a payload is
 */
public interface AsyncRetriedEntries<T> {

    /** {@link RetriedEntries#find}. */
    CompletionStage<Optional<StoredJob<T>>> find(JobId id);

    /** {@link RetriedEntries#list(JobState.Kind, int)}. */
    default CompletionStage<Page<StoredJob<T>>> list(JobState.Kind kind, int max) {
        return list(kind, Cursor.START, max);
    }

    /** {@link RetriedEntries#list(JobState.Kind, Cursor, int)}. */
    CompletionStage<Page<StoredJob<T>>> list(JobState.Kind kind, Cursor from, int max);

    /** {@link RetriedEntries#audit}. */
    CompletionStage<AuditReport> audit();

    /** {@link RetriedEntries#repair}. */
    CompletionStage<AuditReport> repair();
}
