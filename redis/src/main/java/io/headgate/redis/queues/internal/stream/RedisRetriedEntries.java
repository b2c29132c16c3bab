package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.JobId;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.queues.streams.AsyncRetriedEntries;
import io.headgate.queues.streams.RetriedEntries;
import io.headgate.redis.internal.connection.BlockingCalls;
import java.util.Optional;

/** The blocking view of a retry queue: waits for the non-blocking one. */
record RedisRetriedEntries<T>(AsyncRetriedEntries<T> async, BlockingCalls blocking) implements RetriedEntries<T> {

    @Override
    public Optional<StoredJob<T>> find(JobId id) {
        return blocking.ofManyCalls().await("find", () -> async.find(id));
    }

    @Override
    public Page<StoredJob<T>> list(JobState.Kind kind, Cursor from, int max) {
        return blocking.ofManyCalls().await("jobs", () -> async.list(kind, from, max));
    }

    @Override
    public AuditReport audit() {
        return blocking.ofManyCalls().await("audit", async::audit);
    }

    @Override
    public AuditReport repair() {
        return blocking.ofManyCalls().await("audit", async::repair);
    }
}
