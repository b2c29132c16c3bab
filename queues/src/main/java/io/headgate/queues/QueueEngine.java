package io.headgate.queues;

import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.StreamSettings;
import java.util.List;

/**
 * Creates queues and streams that share one store. Create one engine for an application, and close it when the application
 * ends. Safe for use by any number of threads.
 *
 * <pre>{@code
 * JobQueue<String> mails = queues.queue("mails", Codec.text());
 * mails.enqueue("welcome, alice");
 * for (Lease<String> lease : mails.claim(10, Duration.ofSeconds(30))) {
 *     send(lease.job().payload());
 *     lease.ack();
 * }
 * }</pre>
 */
public interface QueueEngine extends AutoCloseable {

    /**
     * Returns a queue. Queues of the same name share their jobs, in all processes.
     *
     * @throws QueueException only if the settings have a {@link Durability} other than {@link Durability#none()}: if the store does not
     *     support it or rejects the connection, for example its password, or if the store is unreachable and the engine requires a
     *     connection
     */
    <T> JobQueue<T> queue(QueueSettings settings, Codec<T> codec);

    /** Returns a queue with the default settings. */
    default <T> JobQueue<T> queue(String name, Codec<T> codec) {
        return queue(QueueSettings.of(name), codec);
    }

    /**
     * Returns the names of all queues in the store, in alphabetical order. A queue is listed from its first enqueued job until
     * its keys in Redis are deleted. A queue of several shards is listed from its first claim, if that is earlier.
     *
     * @throws QueueException if the store fails or does not reply in time
     */
    List<String> names();

    /**
     * Returns the names of all streams in the store, in alphabetical order. A stream is listed from its first produced entry or
     * its first declared group until its key in Redis is deleted.
     *
     * @throws QueueException if the store fails or does not reply in time
     */
    List<String> streamNames();

    /**
     * Returns a stream. Streams of the same name share their entries, in all processes.
     *
     * @throws QueueException for the same reasons as {@link #queue(QueueSettings, Codec)}
     */
    <T> EventStream<T> stream(StreamSettings settings, Codec<T> codec);

    /** Returns a stream with the default settings. */
    default <T> EventStream<T> stream(String name, Codec<T> codec) {
        return stream(StreamSettings.of(name), codec);
    }

    /**
     * Returns whether the engine can call its store now. This reads the state of the connection, and calls nothing.
     *
     * <p>If Redis or the network closes the connection, the engine is immediately {@link QueueHealth#UNAVAILABLE}. A connection on
     * which no reply arrives counts as open until the engine closes it: after 5 seconds, or after the timeout of calls if that is longer.
     * If the application provides the Redis client, the options of that client decide when. The engine is {@link QueueHealth#HEALTHY}
     * again as soon as it is connected. A closed engine is {@link QueueHealth#UNAVAILABLE}.
     */
    QueueHealth health();

    /**
     * Adds a listener, which receives the events of later calls by all queues, streams and groups of this engine. You can add it while
     * calls are in flight. It is not notified of the current health: after adding it, read {@link #health()}. Adding a listener again
     * does nothing.
     */
    void addListener(QueueListener listener);

    /** Removes a listener. Events of calls in flight may still reach it. Does nothing if it was not added. */
    void removeListener(QueueListener listener);

    /**
     * Closes the engine. Jobs and entries stay stored. A second call does nothing. This method throws no exception.
     *
     * <p>Every later call on the engine, and on its queues, streams and leases, fails with an {@link IllegalStateException} that names
     * the engine. A blocking call throws it; an asynchronous call returns a future that fails with it. A call in flight ends with its
     * result or with this exception. Accessors such as {@link JobQueue#settings()} still return. Close workers before their engine: a
     * worker of a closed engine reports the exception to its listeners and keeps retrying.
     */
    @Override
    void close();
}
