package io.headgate.testkit;

import io.headgate.testkit.internal.LoopbackPorts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A real Redis primary with replicas, watched by three real sentinels, for tests, on 127.0.0.1 only. Each can be killed,
 * paused and restarted as {@link RedisServer} describes.
 *
 * <pre>{@code
 * try (RedisSentinels sentinels = RedisSentinels.start()) {
 *     connect(sentinels.url());
 *     RedisServer dead = sentinels.primary();
 *     dead.kill();
 *     sentinels.awaitPromotion(dead, Duration.ofSeconds(30));
 * }
 * }</pre>
 *
 * <p>The sentinels consider a primary dead that does not answer for two seconds, and replace it when two of them agree. A dead
 * primary that is started again acts as a primary until the sentinels reconfigure it about two seconds later. Before Redis 7, this takes
 * ten seconds, because sentinels poll at a fixed rate. Closing this, and the end of the JVM, kill all servers and sentinels and delete
 * their files. For one thread at a time.
 */
public final class RedisSentinels implements AutoCloseable {

    /** The name that the sentinels know the primary by. */
    public static final String NAME = "headgate";

    private static final int SENTINELS = 3;
    private static final int REPLICAS = 2;
    private static final int PORTS_TRIED = 5;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** Sets how often a sentinel polls a server, and publishes its view to the others, in milliseconds. */
    private static final String[] POLL_OFTEN = {"SENTINEL", "DEBUG", "INFO-PERIOD", "1000", "PUBLISH-PERIOD", "500"};

    private final List<RedisNode> servers = new ArrayList<>();
    private final List<RedisNode> sentinels = new ArrayList<>();

    private RedisSentinels() {}

    /**
     * Starts a primary, two replicas and three sentinels, and returns when the replicas are connected and the sentinels know all servers.
     *
     * @param extraArguments of the primary and its replicas; they override the defaults
     * @throws IllegalStateException when one does not start; the message has its output, or what to install
     */
    public static RedisSentinels start(String... extraArguments) {
        RedisSentinels all = new RedisSentinels();
        try {
            all.startServers(List.of(extraArguments));
            all.startSentinels();
            // Redis before 7 replies with an error, and its sentinels keep their default rate.
            all.sentinels.forEach(sentinel -> sentinel.tryRun(POLL_OFTEN));
            Await.until("the replicas and sentinels to be there", TIMEOUT, all::isWhole);
            return all;
        } catch (RuntimeException | Error e) {
            all.close();
            throw e;
        }
    }

    private void startServers(List<String> extraArguments) {
        List<String> arguments =
                new ArrayList<>(List.of("--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0"));
        arguments.addAll(extraArguments);
        for (int i = 0; i <= REPLICAS; i++) {
            servers.add(new RedisNode(RedisServer.startOwn(RedisRole.server(arguments))));
            if (i > 0) {
                servers.get(i)
                        .run(
                                "REPLICAOF",
                                "127.0.0.1",
                                "" + servers.get(0).server().port());
            }
        }
    }

    /** Starts sentinels whose configuration names the other ones, as discovery takes some seconds. */
    private void startSentinels() {
        for (int attempt = 1; ; attempt++) {
            List<Integer> ports = IntStream.range(0, SENTINELS)
                    .mapToObj(i -> LoopbackPorts.free())
                    .toList();
            List<String> ids = ports.stream().map(port -> newId()).toList();
            try {
                for (int i = 0; i < SENTINELS; i++) {
                    List<String> configuration = configuration(i, ports, ids);
                    sentinels.add(new RedisNode(RedisServer.startOwn(RedisRole.sentinel(ports.get(i), configuration))));
                }
                return;
            } catch (IllegalStateException e) {
                RedisNode.closeAll(sentinels);
                sentinels.clear();
                if (attempt == PORTS_TRIED || !String.valueOf(e.getMessage()).contains("already in use")) {
                    throw e;
                }
            }
        }
    }

    private List<String> configuration(int self, List<Integer> ports, List<String> ids) {
        List<String> lines = new ArrayList<>(List.of(
                "sentinel myid " + ids.get(self),
                "sentinel monitor " + NAME + " 127.0.0.1 "
                        + servers.get(0).server().port() + " 2",
                "sentinel down-after-milliseconds " + NAME + " 2000",
                "sentinel failover-timeout " + NAME + " 3000",
                "sentinel parallel-syncs " + NAME + " " + REPLICAS));
        for (RedisNode replica : servers.subList(1, servers.size())) {
            lines.add("sentinel known-replica " + NAME + " 127.0.0.1 "
                    + replica.server().port());
        }
        for (int i = 0; i < SENTINELS; i++) {
            if (i != self) {
                lines.add("sentinel known-sentinel " + NAME + " 127.0.0.1 " + ports.get(i) + " " + ids.get(i));
            }
        }
        return lines;
    }

    private static String newId() {
        return IntStream.range(0, 5)
                .mapToObj(i -> String.format("%08x", ThreadLocalRandom.current().nextInt()))
                .collect(Collectors.joining());
    }

    /** The URL to connect to: {@code redis-sentinel://127.0.0.1:port,127.0.0.1:port,127.0.0.1:port#headgate}. */
    public String url() {
        return sentinels.stream()
                .map(sentinel -> "127.0.0.1:" + sentinel.server().port())
                .collect(Collectors.joining(",", "redis-sentinel://", "#" + NAME));
    }

    /** The primary and its replicas in any order, including dead ones. */
    public List<RedisServer> servers() {
        return servers.stream().map(RedisNode::server).toList();
    }

    /** The sentinels, including dead ones. */
    public List<RedisServer> sentinels() {
        return sentinels.stream().map(RedisNode::server).toList();
    }

    /**
     * The primary according to most of the sentinels.
     *
     * @throws IllegalStateException when most of them do not agree
     */
    public RedisServer primary() {
        return agreedPrimary()
                .orElseThrow(() -> new IllegalStateException("most sentinels do not agree who is the primary"));
    }

    /**
     * Lets the sentinels replace a living primary by a replica, and returns when they agree. The old primary acts as a primary until
     * they reconfigure it some seconds later: {@link #awaitWhole}.
     *
     * @return the new primary
     */
    public RedisServer failOver() {
        RedisServer before = primary();
        sentinels.stream()
                .filter(sentinel -> sentinel.server().isAlive())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no sentinel is alive"))
                .run("SENTINEL", "FAILOVER", NAME);
        return awaitPromotion(before, TIMEOUT);
    }

    /**
     * Returns when the sentinels have replaced this primary, and the new one accepts writes.
     *
     * @return the new primary
     * @throws AssertionError when this does not happen in that time
     */
    public RedisServer awaitPromotion(RedisServer before, Duration atMost) {
        Await.until("another primary", atMost, () -> agreedPrimary()
                .filter(server -> server != before)
                .filter(server -> "master".equals(role(server)))
                .isPresent());
        return primary();
    }

    /**
     * Returns when all living servers except the primary are connected to it as replicas, and all living sentinels know the primary, its
     * replicas and each other.
     *
     * @throws AssertionError when this does not happen in that time
     */
    public void awaitWhole(Duration atMost) {
        Await.until("the replicas and sentinels to agree", atMost, this::isWhole);
    }

    private boolean isWhole() {
        Optional<RedisServer> primary = agreedPrimary();
        long sentinelsAlive =
                sentinels.stream().filter(one -> one.server().isAlive()).count();
        return primary.isPresent()
                && "master".equals(role(primary.get()))
                && servers.stream()
                        .filter(node -> node.server().isAlive() && node.server() != primary.get())
                        .allMatch(node ->
                                "up".equals(node.values("INFO", "replication").get("master_link_status")))
                && sentinels.stream()
                        .filter(one -> one.server().isAlive())
                        .allMatch(one -> knows(one, primary.get(), sentinelsAlive));
    }

    private static boolean knows(RedisNode sentinel, RedisServer primary, long sentinelsAlive) {
        String known = sentinel.values("INFO", "sentinel").getOrDefault("master0", "");
        return known.contains("status=ok,address=127.0.0.1:" + primary.port() + ",slaves=" + REPLICAS)
                && sentinel.tryRun("SENTINEL", "CKQUORUM", NAME)
                        .filter(reply -> reply.startsWith("OK " + sentinelsAlive))
                        .isPresent();
    }

    private Optional<RedisServer> agreedPrimary() {
        return servers.stream()
                .map(RedisNode::server)
                .filter(server -> sentinels.stream()
                                .filter(sentinel -> sentinel.tryRun("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)
                                        .filter(reply -> reply.endsWith("\n" + server.port()))
                                        .isPresent())
                                .count()
                        > SENTINELS / 2)
                .findFirst();
    }

    private String role(RedisServer server) {
        return servers.stream()
                .filter(node -> node.server() == server)
                .map(node -> node.values("INFO", "replication").getOrDefault("role", ""))
                .findFirst()
                .orElse("");
    }

    @Override
    public void close() {
        try {
            RedisNode.closeAll(sentinels);
        } finally {
            RedisNode.closeAll(servers);
        }
    }
}
