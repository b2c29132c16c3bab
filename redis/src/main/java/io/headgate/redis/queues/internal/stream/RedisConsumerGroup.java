package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.DeadLetters;
import io.headgate.queues.JobId;
import io.headgate.queues.Lease;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.AuditReport;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.queues.streams.AsyncConsumerGroup;
import io.headgate.queues.streams.AsyncRetriedEntries;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.RetriedEntries;
import io.headgate.queues.worker.JobSource;
import io.headgate.redis.internal.connection.BlockingCalls;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** The blocking consumer group on Redis: waits for the non-blocking one. */
record RedisConsumerGroup<T>(RedisAsyncConsumerGroup<T> own, RetryQueues queues, BlockingCalls blocking)
        implements ConsumerGroup<T> {

    @Override
    public GroupSettings settings() {
        return own.settings();
    }

    @Override
    public AsyncConsumerGroup<T> async() {
        return own;
    }

    @Override
    public JobSource<T> source() {
        return own;
    }

    @Override
    public List<Lease<T>> claim(int max, Duration lease) {
        return blocking.await("claim", () -> own.claim(max, lease)).stream()
                .map(claimed -> queues.blocking(claimed, blocking))
                .toList();
    }

    @Override
    public List<Settled> ackAll(Collection<Lease<T>> leases) {
        return blocking.await(
                "settle", () -> own.ackAll(leases.stream().map(Lease::async).toList()));
    }

    @Override
    public void pause() {
        blocking.await("pause", own::pause);
    }

    @Override
    public void resume() {
        blocking.await("pause", own::resume);
    }

    @Override
    public DeadLetters<T> deadLetters() {
        return queues.blocking(own.deadLetters(), blocking);
    }

    @Override
    public QueueCounts retryCounts() {
        return blocking.await("counts", own::retryCounts);
    }

    @Override
    public RetriedEntries<T> retriedEntries() {
        return new BlockingRetriedEntries<>(own.retriedEntries(), blocking);
    }

    /** The blocking view of a retry queue: waits for the non-blocking one. */
    private record BlockingRetriedEntries<T>(AsyncRetriedEntries<T> async, BlockingCalls blocking)
            implements RetriedEntries<T> {

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
            return blocking.ofManyCalls().await("repair", async::repair);
        }
    }
}
