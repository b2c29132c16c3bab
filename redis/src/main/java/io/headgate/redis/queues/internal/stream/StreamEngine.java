package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.Codec;
import io.headgate.queues.QueueListener;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.StreamSettings;
import io.headgate.redis.internal.connection.BlockingCalls;
import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.script.PairExecutor;
import java.util.function.Function;

/** Creates the streams of an engine. The engine is one {@link Consumer} in all groups of these streams. */
public final class StreamEngine {

    private final String keyPrefix;
    private final Failures failures;
    private final PairExecutor executor;
    private final RetryQueues queues;
    private final Function<String, Runnable> registration;
    private final StreamScripts scripts;
    private final Consumer consumer = new Consumer();

    /**
     * Creates an engine whose streams send their calls through the executor.
     *
     * @param registration returns a task that registers the name of a stream; it runs after entries were added or a group was declared
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

    /** Returns the key of a stream. */
    public static String key(String keyPrefix, String name) {
        return new StreamKeys(keyPrefix, name).stream();
    }

    /** Creates a stream. */
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
                own, queues, new BlockingCalls(queues.callTimeout(settings.durability()), failures, keys.stream()));
    }
}
