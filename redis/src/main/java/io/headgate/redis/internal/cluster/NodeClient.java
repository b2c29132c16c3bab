package io.headgate.redis.internal.cluster;

import io.headgate.redis.internal.connection.ConnectionSettings;
import io.headgate.redis.internal.connection.OwnClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The Lettuce client for the nodes of a Cluster.
 *
 * @param client connects to single nodes; created here, even if it uses the options and threads of the application's
 *     client
 * @param like the URI whose settings apply to all nodes, except the host and port
 * @param seeds hosts and ports of the nodes from which the others are discovered
 * @param isOwn whether this client also has threads of its own
 */
public record NodeClient(RedisClient client, RedisURI like, List<String> seeds, boolean isOwn) {

    /**
     * Creates the client from the settings. If the application's client has not loaded its topology yet, this loads it,
     * which may fail.
     */
    static NodeClient of(ConnectionSettings settings) {
        RedisClusterClient given = settings.clusterClient();
        if (given == null) {
            List<String> seeds =
                    settings.seeds().stream().map(NodeClient::address).toList();
            return new NodeClient(OwnClient.ofNodes(settings), settings.uri(), seeds, true);
        }
        List<RedisURI> known =
                given.getPartitions().stream().map(RedisClusterNode::getUri).toList();
        RedisClient client = RedisClient.create(given.getResources());
        client.setOptions(given.getOptions());
        return new NodeClient(
                client, known.get(0), known.stream().map(NodeClient::address).toList(), false);
    }

    public static String address(RedisURI uri) {
        return uri.getHost() + ":" + uri.getPort();
    }

    Duration timeout() {
        return like.getTimeout();
    }

    void shutdown() {
        if (isOwn) {
            OwnClient.shutdown(client);
        } else {
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }
}
