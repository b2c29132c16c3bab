package io.headgate.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Forms a Cluster: three servers take a third of the slots each, all servers meet, and the others become replicas. */
final class ClusterFormation {

    private static final int MASTERS = 3;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private ClusterFormation() {}

    /** Starts the nodes and forms the Cluster. Adds each node to the list when it runs, so that the caller can close it on failure. */
    static void start(List<RedisNode> nodes, List<String> extraArguments) {
        List<String> arguments = new ArrayList<>(List.of(
                "--cluster-enabled",
                "yes",
                "--cluster-node-timeout",
                "1000",
                // Replicas take over however old their data is.
                "--cluster-replica-validity-factor",
                "0",
                "--repl-diskless-sync",
                "yes",
                "--repl-diskless-sync-delay",
                "0"));
        arguments.addAll(extraArguments);
        for (int i = 0; i < 2 * MASTERS; i++) {
            nodes.add(new RedisNode(RedisServer.startOwn(RedisRole.clusterNode(arguments))));
        }
        for (int i = 0; i < MASTERS; i++) {
            assignSlots(nodes.get(i), i);
        }
        for (int i = 0; i < nodes.size(); i++) {
            for (RedisNode other : nodes.subList(i + 1, nodes.size())) {
                nodes.get(i)
                        .run("CLUSTER", "MEET", "127.0.0.1", "" + other.server().port());
            }
        }
        Await.until(
                "the nodes to know each other", TIMEOUT, () -> nodes.stream().allMatch(node -> ClusterView.of(node)
                        .filter(view -> view.knows(2 * MASTERS))
                        .isPresent()));
        for (int i = 0; i < MASTERS; i++) {
            replicate(nodes.get(MASTERS + i), nodes.get(i));
        }
        Await.until("each node to know all replicas", TIMEOUT, () -> nodes.stream()
                .allMatch(ClusterFormation::knowsAllReplicas));
    }

    /** Assigns a third of the slots to a node. Each master has its own configuration epoch, so that epochs do not collide. */
    private static void assignSlots(RedisNode node, int third) {
        node.run("CLUSTER", "SET-CONFIG-EPOCH", "" + (third + 1));
        List<String> command = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
        IntStream.range(third * RedisCluster.SLOTS / MASTERS, (third + 1) * RedisCluster.SLOTS / MASTERS)
                .forEach(slot -> command.add("" + slot));
        node.run(command.toArray(String[]::new));
    }

    private static void replicate(RedisNode replica, RedisNode master) {
        Optional<ClusterView> view = ClusterView.of(master);
        replica.run("CLUSTER", "REPLICATE", view.orElseThrow().myself().id());
    }

    private static boolean knowsAllReplicas(RedisNode node) {
        return ClusterView.of(node)
                .filter(view ->
                        view.nodes().stream().filter(one -> one.is("slave")).count() == MASTERS)
                .isPresent();
    }
}
