package io.headgate.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A real Redis Cluster for tests, on 127.0.0.1 only: three masters with one replica each. A test can kill, pause and restart each
 * node, as {@link RedisServer} describes.
 *
 * <pre>{@code
 * try (RedisCluster cluster = RedisCluster.start()) {
 *     connect(cluster.url());
 *     cluster.masterOf("alice").kill();
 *     cluster.awaitOk(Duration.ofSeconds(30)); // its replica has taken over
 *     cluster.moveSlot(cluster.slotOf("bob"), cluster.masters().get(0));
 * }
 * }</pre>
 *
 * <p>The nodes consider a node dead that does not answer for a second. Closing the Cluster, and the end of the JVM, kill all nodes and
 * delete their files. For one thread at a time.
 */
public final class RedisCluster implements AutoCloseable {

    /** The number of hash slots. */
    public static final int SLOTS = 16_384;

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final List<RedisNode> nodes;

    private RedisCluster(List<RedisNode> nodes) {
        this.nodes = nodes;
    }

    /**
     * Starts a Cluster and returns when all nodes serve.
     *
     * @param extraArguments of each node; they override the defaults
     * @throws IllegalStateException when a node does not start; the message has its output, or what to install
     */
    public static RedisCluster start(String... extraArguments) {
        List<RedisNode> nodes = new ArrayList<>();
        RedisCluster cluster = new RedisCluster(nodes);
        try {
            ClusterFormation.start(nodes, List.of(extraArguments));
            cluster.awaitOk(TIMEOUT);
            return cluster;
        } catch (RuntimeException | Error e) {
            RedisNode.closeAll(nodes);
            throw e;
        }
    }

    /** The URL to connect to: {@code redis-cluster://127.0.0.1:port,127.0.0.1:port,...}, with all nodes. */
    public String url() {
        return nodes.stream()
                .map(node -> "127.0.0.1:" + node.server().port())
                .collect(Collectors.joining(",", "redis-cluster://", ""));
    }

    /** All nodes, including dead ones. */
    public List<RedisServer> nodes() {
        return nodes.stream().map(RedisNode::server).toList();
    }

    /**
     * The nodes that have slots, in the order of the slots. It checks every 512th slot, so it may miss a node with few slots.
     *
     * @throws IllegalStateException when no available node has one of these slots
     */
    public List<RedisServer> masters() {
        List<RedisServer> masters = new ArrayList<>();
        for (int slot = 0; slot < SLOTS; slot += SLOTS / 32) {
            RedisServer master = masterOf(slot);
            if (!masters.contains(master)) {
                masters.add(master);
            }
        }
        return masters;
    }

    /** The slot of a key, by its hash tag if it has one. */
    public int slotOf(String key) {
        return Integer.parseInt(firstAnswer("CLUSTER", "KEYSLOT", key));
    }

    /** The master of the slot of this key. */
    public RedisServer masterOf(String key) {
        return masterOf(slotOf(key));
    }

    /**
     * The master of this slot, according to the available nodes: if several claim it, the one with the highest epoch.
     *
     * @throws IllegalStateException when no available node has it
     */
    public RedisServer masterOf(int slot) {
        return ownerOf(slot)
                .orElseThrow(() -> new IllegalStateException("no node that answers has slot " + slot))
                .server();
    }

    /** The replicas of this master that answer. */
    public List<RedisServer> replicasOf(RedisServer master) {
        String masterId = idOf(master);
        return nodes.stream()
                .filter(node -> ClusterView.of(node)
                        .filter(view -> view.myself().masterId().equals(masterId))
                        .isPresent())
                .map(RedisNode::server)
                .toList();
    }

    /**
     * Replaces the master of this slot by a replica without losing writes. Returns when all nodes agree.
     *
     * @return the new master
     */
    public RedisServer failOver(int slot) {
        return failOver(slot, List.of("CLUSTER", "FAILOVER"));
    }

    /**
     * Replaces the master of this slot without its consent, and returns when all nodes agree. Loses writes that the replica does not
     * have. The master must be available: the nodes themselves replace one that is killed or paused.
     *
     * @return the new master
     */
    public RedisServer failOverByForce(int slot) {
        return failOver(slot, List.of("CLUSTER", "FAILOVER", "FORCE"));
    }

    private RedisServer failOver(int slot, List<String> command) {
        RedisServer before = masterOf(slot);
        RedisNode replica = node(replicasOf(before).stream()
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(before + " has no replica")));
        replica.run(command.toArray(String[]::new));
        Await.until("the replica to take over", TIMEOUT, () -> ownerOf(slot).equals(Optional.of(replica)));
        awaitOk(TIMEOUT);
        return replica.server();
    }

    /**
     * Returns when all living nodes serve and agree about roles and slots, and each replica is connected to its master. By then, a
     * replica has replaced each killed master. A paused node counts as living, so {@linkplain RedisServer#resume() resume} it first.
     *
     * @throws AssertionError when this does not happen in that time; the message has the view of each node
     */
    public void awaitOk(Duration atMost) {
        try {
            Await.until("the cluster to be whole", atMost, this::isOk);
        } catch (AssertionError e) {
            String views = nodes.stream()
                    .map(node -> node.server().port() + ": "
                            + node.values("CLUSTER", "INFO").get("cluster_state") + " "
                            + ClusterView.of(node).map(ClusterView::roles))
                    .collect(Collectors.joining("; "));
            throw new AssertionError(e.getMessage() + "; " + views, e);
        }
    }

    private boolean isOk() {
        List<RedisNode> living =
                nodes.stream().filter(node -> node.server().isAlive()).toList();
        List<Optional<ClusterView>> views = living.stream().map(ClusterView::of).toList();
        return views.stream().allMatch(Optional::isPresent)
                && views.stream()
                                .map(view -> view.orElseThrow().roles())
                                .distinct()
                                .count()
                        == 1
                && views.get(0).orElseThrow().roles().size() == living.size()
                && living.stream().allMatch(RedisCluster::serves);
    }

    private static boolean serves(RedisNode node) {
        return "ok".equals(node.values("CLUSTER", "INFO").get("cluster_state"))
                && "up".equals(node.values("INFO", "replication").getOrDefault("master_link_status", "up"));
    }

    /**
     * Starts to move a slot with its keys to another master. Until the move is finished, a command on a key that has moved, or does not
     * exist, receives {@code ASK}. A command on several keys receives {@code TRYAGAIN} if only some of them have moved.
     *
     * @throws IllegalArgumentException when {@code to} has the slot already, or is not a node of this Cluster
     */
    public SlotMove beginMove(int slot, RedisServer to) {
        return SlotMove.begin(slot, node(masterOf(slot)), node(to), nodes);
    }

    /** Moves a slot with its keys to another master, and returns when all nodes agree. */
    public void moveSlot(int slot, RedisServer to) {
        SlotMove move = beginMove(slot, to);
        move.moveKeys(Integer.MAX_VALUE);
        move.finish();
        awaitOk(TIMEOUT);
    }

    private Optional<RedisNode> ownerOf(int slot) {
        record Claim(RedisNode node, ClusterView.Node view) {}
        return nodes.stream()
                .map(node -> ClusterView.of(node).map(view -> new Claim(node, view.myself())))
                .flatMap(Optional::stream)
                .filter(claim -> claim.view().is("master") && claim.view().has(slot))
                .max(Comparator.comparingLong(claim -> claim.view().epoch()))
                .map(Claim::node);
    }

    private String idOf(RedisServer server) {
        return nodes.stream()
                .map(ClusterView::of)
                .flatMap(Optional::stream)
                .flatMap(view -> view.nodes().stream())
                .filter(one -> one.port() == server.port())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(server + " is not a node of this cluster"))
                .id();
    }

    private RedisNode node(RedisServer server) {
        return nodes.stream()
                .filter(node -> Objects.equals(node.server(), server))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(server + " is not a node of this cluster"));
    }

    private String firstAnswer(String... command) {
        return nodes.stream()
                .map(node -> node.tryRun(command))
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no node answers " + String.join(" ", command)));
    }

    @Override
    public void close() {
        RedisNode.closeAll(nodes);
    }
}
