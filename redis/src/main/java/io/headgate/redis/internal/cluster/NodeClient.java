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
 * What connects to nodes of a Cluster.
 *
 * @param client connects to one; made here, also where it goes by the options and threads of the application's client
 * @param like how, but for the host and port
 * @param seeds hosts and ports of the nodes that are known to begin with
 * @param isOwn whether its threads are its own, too
 */
public record NodeClient(RedisClient client, RedisURI like, List<String> seeds, boolean isOwn) {

    /** By the settings; where the application's client does not know its Cluster yet, it is asked, which may fail. */
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
