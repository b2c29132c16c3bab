package io.headgate.redis.streams;

import io.headgate.queues.Codec;
import io.headgate.queues.EventStream;
import io.headgate.queues.StreamSettings;
import io.headgate.redis.internal.Awaiting;
import io.headgate.redis.internal.Failures;
import io.headgate.redis.internal.ScriptExecutor;
import java.time.Duration;
import java.util.HexFormat;
import java.util.UUID;
import java.util.function.Function;

/** Makes streams on Redis; to its groups it is one consumer. */
public final class StreamEngine {

    private final String keyPrefix;
    private final Duration timeout;
    private final Failures failures;
    private final ScriptExecutor executor;
    private final RetryQueues queues;
    private final Function<String, Runnable> registration;
    private final StreamScripts scripts;
    private final String consumer = consumerName();

    /**
     * One that asks through that executor.
     *
     * @param timeout how long a call may take
     * @param registration what notes the name of a stream, and is run after entries were added
     */
    public StreamEngine(
            String keyPrefix,
            Duration timeout,
            Failures failures,
            ScriptExecutor executor,
            RetryQueues queues,
            Function<String, Runnable> registration) {
        this.keyPrefix = keyPrefix;
        this.timeout = timeout;
        this.failures = failures;
        this.executor = executor;
        this.queues = queues;
        this.registration = registration;
        this.scripts = new StreamScripts(queues.scriptParts());
    }

    /** The key of a stream. */
    public static String key(String keyPrefix, String name) {
        return new StreamKeys(keyPrefix, name).stream();
    }

    /** A stream. */
    public <T> EventStream<T> stream(StreamSettings settings, Codec<T> codec) {
        StreamKeys keys = new StreamKeys(keyPrefix, settings.name());
        RedisAsyncEventStream<T> own = new RedisAsyncEventStream<>(
                settings, codec, keys, scripts, executor, queues, consumer, registration.apply(settings.name()));
        // A claim may take two calls.
        return new RedisEventStream<>(own, queues, new Awaiting(timeout.multipliedBy(2), failures, keys.stream()));
    }

    /** Random, so that nobody ever has the entries of another. */
    private static String consumerName() {
        UUID random = UUID.randomUUID();
        return HexFormat.of().toHexDigits(random.getMostSignificantBits())
                + HexFormat.of().toHexDigits(random.getLeastSignificantBits());
    }
}
