package io.headgate.redis.internal.connection;

import io.headgate.redis.internal.script.RedisExecutor;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Optional;

/** An engine's connection to its Redis, or its connections to the nodes of a Cluster, and what sends calls over them. */
public interface RedisLink extends AutoCloseable {

    /** Why there was no connection at first, as a phrase; then it is made in the background, as soon as it can be. */
    Optional<String> unreached();

    /** Whether it is an error when Redis can't be reached; else connections come later. */
    boolean isRequired();

    /** Sends calls. */
    RedisExecutor executor();

    /**
     * Another connection, that hears what is published; whoever asks for it closes it. Blocks, and so is for threads of one's own.
     *
     * @throws RuntimeException what the failures make of it, when Redis can't be reached, or there is no connection to it that
     *     sends calls
     */
    StatefulRedisPubSubConnection<String, String> connectPubSub();

    /** Whether one that broke is replaced by another one, which may hear the same elsewhere. */
    boolean hearsElsewhere();

    /** Which Redis it is, for logs and pages: without a password. */
    String description();

    /** Closes the connections, and the client if it is not the application's own. Calls under way fail. */
    @Override
    void close();
}
