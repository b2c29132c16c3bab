package io.headgate.redis.internal.connection;

import io.headgate.redis.internal.script.RedisExecutor;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Optional;

/**
 * The connections of one engine, to a single Redis or to the nodes of a Cluster, and the executor that sends calls over
 * them.
 */
public interface RedisLink extends AutoCloseable {

    /**
     * Why the first attempt to connect failed, as a phrase; empty if it succeeded. After a failure the connection is
     * established in the background.
     */
    Optional<String> unreached();

    /** Whether the engine fails to start when Redis cannot be reached. If not, it connects later in the background. */
    boolean isRequired();

    /** The executor that sends calls over these connections. */
    RedisExecutor executor();

    /**
     * Opens a connection for Pub/Sub; the caller closes it. This method blocks and must not run on a Netty thread.
     *
     * @throws RuntimeException an exception of {@link Failures} when Redis cannot be reached or no connection for calls
     *     is open
     */
    StatefulRedisPubSubConnection<String, String> connectPubSub();

    /**
     * Whether a broken Pub/Sub connection is replaced by one to another node. Any node of a Cluster delivers all
     * messages.
     */
    boolean failsOverPubSub();

    /** The address of the Redis for logs and web pages, without the password. */
    String description();

    /** Closes the connections, and the client unless it belongs to the application. Calls in flight fail. */
    @Override
    void close();
}
