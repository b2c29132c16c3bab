package io.headgate.redis.queues;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.AsyncLease;
import io.headgate.queues.Codec;
import io.headgate.queues.DeadLetters;
import io.headgate.queues.Lease;
import io.headgate.queues.QueueListener;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.internal.Told;
import io.headgate.queues.internal.WorkSource;
import io.headgate.redis.internal.Awaiting;
import io.headgate.redis.internal.ScriptExecutor;
import io.headgate.redis.streams.RetryQueue;
import io.headgate.redis.streams.RetryQueues;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the groups of streams take of this engine. */
record GroupQueues(QueueScripts scripts, ScriptExecutor executor, Signals signals, List<QueueListener> listeners)
        implements RetryQueues {

    /** They take what comes: it is in the stream already. */
    private static final long MAX_JOBS = 1_000_000_000;

    @Override
    public RetryQueue queue(String header, String name, int maxCrashes, Told told) {
        QueueSettings settings = QueueSettings.of(name).withMaxJobs(MAX_JOBS).withMaxCrashes(maxCrashes);
        RedisAsyncQueue<byte[]> own = new RedisAsyncQueue<>(
                planner(header, settings), Codec.bytes(), executor, Writes.unconfirmed(executor), signals, told);
        return new RetryQueue(own, own);
    }

    @Override
    public <T> AsyncDeadLetters<T> deadLetters(String header, String name, Codec<T> codec, Told told) {
        Writes writes = HeardWrites.of(Writes.unconfirmed(executor), told);
        return new RedisAsyncDeadLetters<>(planner(header, QueueSettings.of(name)), codec, writes, writes, told);
    }

    private QueuePlanner planner(String header, QueueSettings settings) {
        return new QueuePlanner(settings, QueueKeys.at(header), scripts, Optional.empty());
    }

    @Override
    public Told told(QueueListener.Source source) {
        return new Told(listeners, source);
    }

    @Override
    public WorkSource.Listening listen(String channel, Runnable onSignal) {
        return signals.listen(channel, onSignal);
    }

    @Override
    public String[] keys(String header) {
        return QueueKeys.at(header).allButReady();
    }

    @Override
    public Map<String, String> scriptParts() {
        return QueueScripts.sharedParts();
    }

    @Override
    public byte[] handBack(Duration delay) {
        return Settlement.handBack(delay);
    }

    @Override
    public byte[] retry(Duration delay, String cause) {
        return Settlement.retry(delay, cause);
    }

    @Override
    public byte[] deadLetter(String cause) {
        return Settlement.deadLetter(cause);
    }

    @Override
    public <T> Lease<T> blocking(AsyncLease<T> lease, Awaiting awaiting) {
        return new RedisLease<>(lease, awaiting);
    }

    @Override
    public <T> DeadLetters<T> blocking(AsyncDeadLetters<T> deadLetters, Awaiting awaiting) {
        return new RedisDeadLetters<>(deadLetters, awaiting);
    }
}
