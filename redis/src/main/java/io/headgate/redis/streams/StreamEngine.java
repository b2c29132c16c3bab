package io.headgate.redis.streams;

import io.headgate.queues.Codec;
import io.headgate.queues.EventStream;
import io.headgate.queues.QueueListener;
import io.headgate.queues.StreamSettings;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.redis.internal.Awaiting;
import io.headgate.redis.internal.Failures;
import io.headgate.redis.internal.PairExecutor;
import java.util.HexFormat;
import java.util.UUID;
import java.util.function.Function;

/** Makes streams on Redis; to its groups it is one consumer. */
public final class StreamEngine {

    private final String keyPrefix;
    private final Failures failures;
    private final PairExecutor executor;
    private final RetryQueues queues;
    private final Function<String, Runnable> registration;
    private final StreamScripts scripts;
    private final Consumer consumer = new Consumer();

    /**
     * One that asks through that executor.
     *
     * @param registration what notes the name of a stream, and is run after entries were added
     */
    public StreamEngine(
            String keyPrefix,
            Failures failures,
            PairExecutor executor,
            RetryQueues queues,
            Function<String, Runnable> registration) {
        this.keyPrefix = keyPrefix;
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
        QueueEvents events = queues.events(new QueueListener.Source.OfStream(settings.name()));
        RedisAsyncEventStream<T> own = new RedisAsyncEventStream<>(
                settings,
                codec,
                keys,
                scripts,
                executor,
                queues,
                consumer,
                registration.apply(settings.name()),
                queues.writes(settings.durability(), events),
                events);
        return new RedisEventStream<>(
                own, queues, new Awaiting(queues.longest(settings.durability()), failures, keys.stream()));
    }

    /** One that nobody else has: so nobody ever has the entries of another. */
    static String randomName() {
        UUID random = UUID.randomUUID();
        return HexFormat.of().toHexDigits(random.getMostSignificantBits())
                + HexFormat.of().toHexDigits(random.getLeastSignificantBits());
    }
}
