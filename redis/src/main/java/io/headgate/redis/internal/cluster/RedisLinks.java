package io.headgate.redis.internal.cluster;

import io.headgate.redis.internal.connection.ConnectionSettings;
import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.connection.RedisLink;
import io.headgate.redis.internal.connection.SingleLink;

/** Opens the connections described by the settings: to a single Redis, or to the nodes of a Cluster. */
public final class RedisLinks {

    private RedisLinks() {}

    /**
     * Connects.
     *
     * @throws RuntimeException an exception of {@link Failures} when Redis rejects the connection, or cannot be reached
     *     although the settings require a connection
     */
    public static RedisLink open(ConnectionSettings settings, Failures failures) {
        return settings.isCluster() ? new ClusterLink(settings, failures) : new SingleLink(settings, failures);
    }
}
