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
 * The asynchronous form of {@link RetriedEntries}. Each method returns a stage with the result of the blocking method of the same name,
 * and does not block. If the blocking method would throw an exception, the stage fails with it; for an invalid argument, the method
 * throws it immediately.
 *
 * @param <T> the type of the payload
 */
public interface AsyncRetriedEntries<T> {

    /** The asynchronous form of {@link RetriedEntries#find}. */
    CompletionStage<Optional<StoredJob<T>>> find(JobId id);

    /** The asynchronous form of {@link RetriedEntries#list(JobState.Kind, int)}. */
    default CompletionStage<Page<StoredJob<T>>> list(JobState.Kind kind, int max) {
        return list(kind, Cursor.START, max);
    }

    /** The asynchronous form of {@link RetriedEntries#list(JobState.Kind, Cursor, int)}. */
    CompletionStage<Page<StoredJob<T>>> list(JobState.Kind kind, Cursor from, int max);

    /** The asynchronous form of {@link RetriedEntries#audit}. */
    CompletionStage<AuditReport> audit();

    /** The asynchronous form of {@link RetriedEntries#repair}. */
    CompletionStage<AuditReport> repair();
}
