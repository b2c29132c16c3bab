package io.headgate.redis.internal.cluster;

import io.headgate.redis.internal.connection.ConnectionSettings;
import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.connection.RedisLink;
import io.headgate.redis.internal.connection.SingleLink;

/** Opens the connections that settings describe: to one Redis, or to the nodes of a Cluster. */
public final class RedisLinks {

    private RedisLinks() {}

    /**
     * Connects.
     *
     * @throws RuntimeException made by the failures, when Redis can't be reached and the settings require that, or when it refuses
     *     the connection
     */
    public static RedisLink open(ConnectionSettings settings, Failures failures) {
        return settings.isCluster() ? new ClusterLink(settings, failures) : new SingleLink(settings, failures);
    }
}
