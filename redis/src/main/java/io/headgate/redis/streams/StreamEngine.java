package io.headgate.redis.streams;

import io.headgate.queues.Codec;
import io.headgate.queues.EventStream;
import io.headgate.queues.StreamSettings;
import io.headgate.redis.internal.Awaiting;
import io.headgate.redis.internal.Failures;
import io.headgate.redis.internal.PairExecutor;
import java.time.Duration;
import java.util.HexFormat;
import java.util.UUID;

/** Makes streams on Redis; to its groups it is one consumer. */
public final class StreamEngine {

    private final String keyPrefix;
    private final Duration timeout;
    private final Failures failures;
    private final PairExecutor executor;
    private final RetryQueues queues;
    private final StreamScripts scripts;
    private final String consumer = randomName();

    /**
     * One that asks through that executor.
     *
     * @param timeout how long a call may take
     */
    public StreamEngine(
            String keyPrefix, Duration timeout, Failures failures, PairExecutor executor, RetryQueues queues) {
        this.keyPrefix = keyPrefix;
        this.timeout = timeout;
        this.failures = failures;
        this.executor = executor;
        this.queues = queues;
        this.scripts = new StreamScripts(queues.scriptParts());
    }

    /** A stream. */
    public <T> EventStream<T> stream(StreamSettings settings, Codec<T> codec) {
        StreamKeys keys = new StreamKeys(keyPrefix, settings.name());
        RedisAsyncEventStream<T> own =
                new RedisAsyncEventStream<>(settings, codec, keys, scripts, executor, queues, consumer);
        // A claim may take three calls: two to the stream, and one to the queue of what is tried again.
        return new RedisEventStream<>(own, queues, new Awaiting(timeout.multipliedBy(3), failures, keys.stream()));
    }

    /** One that nobody else has: so nobody ever has the entries of another. */
    static String randomName() {
        UUID random = UUID.randomUUID();
        return HexFormat.of().toHexDigits(random.getMostSignificantBits())
                + HexFormat.of().toHexDigits(random.getLeastSignificantBits());
    }
}
