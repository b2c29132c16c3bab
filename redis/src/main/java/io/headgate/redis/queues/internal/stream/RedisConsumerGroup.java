package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.DeadLetters;
import io.headgate.queues.Lease;
import io.headgate.queues.Settled;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.streams.AsyncConsumerGroup;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.streams.RetriedEntries;
import io.headgate.queues.worker.JobSource;
import io.headgate.redis.internal.connection.BlockingCalls;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

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
    public QueueCounts retries() {
        return blocking.await("counts", own::retries);
    }

    @Override
    public RetriedEntries<T> retriedEntries() {
        return new RedisRetriedEntries<>(own.retriedEntries(), blocking);
    }
}
