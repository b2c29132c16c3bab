package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.JobId;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.queues.streams.AsyncRetriedEntries;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The non-blocking view of a retry queue; only its group adds to it. */
record RedisAsyncRetriedEntries<T>(AsyncJobQueue<T> queue) implements AsyncRetriedEntries<T> {

    @Override
    public CompletionStage<Optional<StoredJob<T>>> find(JobId id) {
        return queue.find(id);
    }

    @Override
    public CompletionStage<Page<StoredJob<T>>> list(JobState.Kind kind, Cursor from, int max) {
        return queue.jobs(kind, from, max);
    }

    @Override
    public CompletionStage<AuditReport> audit() {
        return queue.audit();
    }

    @Override
    public CompletionStage<AuditReport> repair() {
        return queue.repair();
    }
}
