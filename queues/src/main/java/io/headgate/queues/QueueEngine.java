package io.headgate.queues;

import io.headgate.queues.streams.EventStream;
import io.headgate.queues.streams.StreamSettings;
import java.util.List;

/**
 * An engine: keeps jobs, and makes queues. One for an application is enough; it is safe for use by any number of threads,
 * and is closed when the application ends.
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
     * A queue. Those of the same name share their jobs, in all processes.
     *
     * @throws QueueException when the settings ask for a {@link Durability}, and the store can't be reached or can't give it
     */
    <T> JobQueue<T> queue(QueueSettings settings, Codec<T> codec);

    /** A queue with the default settings. */
    default <T> JobQueue<T> queue(String name, Codec<T> codec) {
        return queue(QueueSettings.of(name), codec);
    }

    /**
     * The names of all queues that there are, in alphabetical order: those to which somebody has enqueued, and of which there
     * still is something.
     *
     * @throws QueueException when the store can't be asked
     */
    List<String> names();

    /**
     * The names of all streams that there are, in alphabetical order: those to which somebody has added, or in
     * which somebody has declared a group.
     *
     * @throws QueueException when the store can't be asked
     */
    List<String> streamNames();

    /** A stream. Those of the same name share their entries, in all processes. */
    <T> EventStream<T> stream(StreamSettings settings, Codec<T> codec);

    /** A stream with the default settings. */
    default <T> EventStream<T> stream(String name, Codec<T> codec) {
        return stream(StreamSettings.of(name), codec);
    }

    /**
     * Returns whether the engine can call its store now. This reads the state of the connection, and calls nothing.
     *
     * <p>A connection that Redis or the network closes makes the engine {@link QueueHealth#UNAVAILABLE} at once. A connection on which
     * no reply arrives counts as open until the engine gives it up: after 5 seconds, or after the timeout if that is longer. With a
     * client of the application, the options of that client decide. The engine is {@link QueueHealth#HEALTHY} again as soon as it is
     * connected. A closed engine is {@link QueueHealth#UNAVAILABLE}.
     */
    QueueHealth health();

    /**
     * Adds a listener, also while calls are in flight. The listener receives the events of calls that are made from now on, by queues,
     * streams and groups of this engine, whenever those were created. Adding a listener again does nothing.
     */
    void addListener(QueueListener listener);

    /** Removes a listener. Events of calls in flight may still reach it. Does nothing if it was not added. */
    void removeListener(QueueListener listener);

    /**
     * Closes the engine. Jobs and entries stay stored. A second call does nothing, and no call throws an exception.
     *
     * <p>Every later call on the engine, and on its queues, streams and leases, fails with an {@link IllegalStateException} that
     * names the engine. A blocking call throws it; an asynchronous call returns a future that fails with it. A call in flight ends
     * with its answer or with this exception. Accessors such as {@link JobQueue#settings()} still answer. Close workers before their
     * engine: a worker that outlives it reports the exception to its listeners and keeps trying.
     */
    @Override
    void close();
}
