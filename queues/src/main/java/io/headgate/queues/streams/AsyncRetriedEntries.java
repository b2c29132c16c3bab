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
 * {@link RetriedEntries} with calls that do not block. Each method returns a stage with the result of its namesake. If the
 * namesake would throw, the stage fails with that exception; an invalid argument throws at once.
 *
 * @param <T> the type of the payload
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
