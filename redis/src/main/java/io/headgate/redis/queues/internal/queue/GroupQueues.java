package io.headgate.redis.queues.internal.queue;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.AsyncLease;
import io.headgate.queues.Codec;
import io.headgate.queues.DeadLetters;
import io.headgate.queues.Durability;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueListener;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.queues.worker.JobSource;
import io.headgate.redis.internal.connection.BlockingCalls;
import io.headgate.redis.internal.connection.Signals;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.redis.queues.internal.durability.DurableWrites;
import io.headgate.redis.queues.internal.durability.ObservedWrites;
import io.headgate.redis.queues.internal.durability.Writes;
import io.headgate.redis.queues.internal.job.JobSettlement;
import io.headgate.redis.queues.internal.job.QueueKeys;
import io.headgate.redis.queues.internal.job.ScriptClock;
import io.headgate.redis.queues.internal.stream.RetryQueues;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The {@link RetryQueues} that {@link RedisQueueEngine} provides to streams. */
public record GroupQueues(
        QueueScripts scripts,
        ScriptExecutor executor,
        DurableWrites writes,
        Signals signals,
        List<QueueListener> listeners)
        implements RetryQueues {

    /** Practically unbounded: the entries are stored in the stream already. */
    private static final long MAX_JOBS = 1_000_000_000;

    @Override
    public RetryQueue queue(String header, GroupSettings group, QueueEvents events) {
        RedisAsyncJobQueue<byte[]> own = queue(header, group, Codec.bytes(), events);
        return new RetryQueue(own, own);
    }

    @Override
    public <T> RedisAsyncJobQueue<T> queue(String header, GroupSettings group, Codec<T> codec, QueueEvents events) {
        return new RedisAsyncJobQueue<>(
                planner(header, group), codec, executor, writes.of(group.durability()), signals, events);
    }

    @Override
    public <T> AsyncDeadLetters<T> deadLetters(String header, GroupSettings group, Codec<T> codec, QueueEvents events) {
        return new RedisAsyncDeadLetters<>(
                planner(header, group),
                codec,
                new ObservedWrites(Writes.unconfirmed(executor), events),
                writes(group.durability(), events),
                events);
    }

    @Override
    public Writes writes(Durability durability, QueueEvents events) {
        return new ObservedWrites(writes.of(durability), events);
    }

    @Override
    public Duration callTimeout(Durability durability) {
        return writes.callTimeout(durability);
    }

    private QueuePlanner planner(String header, GroupSettings group) {
        QueueSettings settings =
                QueueSettings.of(group.name()).withMaxJobs(MAX_JOBS).withMaxCrashes(group.maxCrashes());
        // Entries have no tenants, so the scripts for queues with tenants are never needed.
        return new QueuePlanner(
                settings, QueueKeys.at(header), new ScriptChoice(scripts, scripts), ScriptClock.OF_REDIS);
    }

    @Override
    public QueueEvents events(QueueListener.Source source) {
        return new QueueEvents(listeners, source);
    }

    @Override
    public JobSource.Subscription subscribe(String channel, Runnable onSignal) {
        return signals.listen(channel, message -> onSignal.run())::run;
    }

    @Override
    public String[] keys(String header) {
        return QueueKeys.at(header).allButReadyRecords();
    }

    @Override
    public Map<String, String> scriptParts() {
        return QueueScripts.sharedParts();
    }

    @Override
    public byte[] handBack(Duration delay) {
        return JobSettlement.handBack(delay);
    }

    @Override
    public byte[] retry(Duration delay, String cause) {
        return JobSettlement.retry(delay, cause);
    }

    @Override
    public byte[] deadLetter(String cause) {
        return JobSettlement.deadLetter(cause);
    }

    @Override
    public <T> Lease<T> blocking(AsyncLease<T> lease, BlockingCalls blocking) {
        return new RedisLease<>(lease, blocking);
    }

    @Override
    public <T> DeadLetters<T> blocking(AsyncDeadLetters<T> deadLetters, BlockingCalls blocking) {
        return new RedisDeadLetters<>(deadLetters, blocking);
    }
}
