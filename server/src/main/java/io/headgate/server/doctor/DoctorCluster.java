package io.headgate.server.doctor;

import io.headgate.server.cli.Finding;
import io.headgate.server.redis.RedisInspector;
import io.headgate.server.redis.RedisInspector.Reply;
import java.util.HashMap;
import java.util.Map;

/** Checks whether the URL fits the Redis: a single Redis or a Cluster. For a Cluster, it also checks slots and replicas. */
final class DoctorCluster {

    private static final String CHECK = "cluster";
    private static final String SLOTS = "16384";

    private DoctorCluster() {}

    /**
     * Checks the Cluster by the replies of one node.
     *
     * @param isNode whether the Redis is a node of a Cluster
     * @param asCluster whether the URL is that of a Cluster
     */
    static Finding check(RedisInspector redis, boolean isNode, boolean asCluster) {
        if (!isNode) {
            return asCluster
                    ? Finding.problem(CHECK, "no, a single Redis", "give its URL as redis://host:port")
                    : Finding.ok(CHECK, "no, a single Redis");
        }
        if (!asCluster) {
            return Finding.problem(
                    CHECK,
                    "a node of a Redis Cluster, which rejects the keys of other nodes",
                    "give some of its nodes: redis-cluster://host:port,host:port");
        }
        Reply reply = redis.call("CLUSTER", "INFO");
        return reply.error().isPresent() ? Finding.unavailable(CHECK, "CLUSTER INFO") : coverage(fields(reply.text()));
    }

    private static Finding coverage(Map<String, String> cluster) {
        String state = cluster.getOrDefault("cluster_state", "unknown");
        String served = cluster.getOrDefault("cluster_slots_ok", "0");
        String masters = cluster.getOrDefault("cluster_size", "0");
        String found = "state " + state + ", " + served + " of " + SLOTS + " slots served, " + masters
                + " masters with slots, " + cluster.getOrDefault("cluster_known_nodes", "0") + " nodes";
        if (!state.equals("ok") || !served.equals(SLOTS)) {
            return Finding.problem(
                    CHECK,
                    found,
                    "CLUSTER NODES shows failed nodes and unassigned slots; fallbacks decide requests for these slots");
        }
        return masters.equals(cluster.get("cluster_known_nodes"))
                ? Finding.warning(
                        CHECK,
                        found,
                        "give each master a replica, which takes over when the master fails; otherwise its slots are not served until it returns")
                : Finding.ok(CHECK, found);
    }

    private static Map<String, String> fields(String text) {
        Map<String, String> fields = new HashMap<>();
        text.lines()
                .map(line -> line.split(":", 2))
                .filter(pair -> pair.length == 2)
                .forEach(pair -> fields.put(pair[0], pair[1].trim()));
        return fields;
    }
}
