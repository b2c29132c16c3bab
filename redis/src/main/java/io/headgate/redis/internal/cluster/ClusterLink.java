package io.headgate.redis.internal.cluster;

import io.headgate.redis.internal.cluster.NodeConnections.Node;
import io.headgate.redis.internal.connection.ConnectAttempts;
import io.headgate.redis.internal.connection.ConnectionSettings;
import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.connection.LettuceExecutor;
import io.headgate.redis.internal.connection.RedisLink;
import io.headgate.redis.internal.connection.RedisProblems;
import io.headgate.redis.internal.connection.ReplicaFailover;
import io.headgate.redis.internal.script.RedisExecutor;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The connections to the masters of a Cluster, with the engine's own client or with the options of the application's
 * client.
 */
public final class ClusterLink implements RedisLink {

    private final String description;
    private final Failures failures;
    private final ConnectionSettings settings;
    private final NodeClient client;
    private final ClusterExecutor executor;
    private final List<NodeConnections> extras = new CopyOnWriteArrayList<>();
    private final Optional<String> unreached;
    private final ConnectAttempts attempts = new ConnectAttempts();
    private volatile boolean closed;

    ClusterLink(ConnectionSettings settings, Failures failures) {
        this.settings = settings;
        this.failures = failures;
        this.description = settings.clusterClient() == null
                ? (settings.uri().isSsl() ? "rediss" : "redis") + "-cluster://"
                        + String.join(
                                ",",
                                settings.seeds().stream()
                                        .map(NodeClient::address)
                                        .toList())
                : "the Redis Cluster of the application's client";
        try {
            this.client = NodeClient.of(settings);
        } catch (RedisException e) {
            throw cannotConnect(e);
        }
        this.executor = new ClusterExecutor(settings, client, failures, this::closeUnused);
        this.unreached = connectOrRetry();
    }

    @Override
    public Optional<String> unreached() {
        return unreached;
    }

    @Override
    public boolean isRequired() {
        return settings.requiresConnection();
    }

    /**
     * Connects and returns the reason if that fails. Unless it is fatal, the topology continues to connect in the
     * background.
     */
    private Optional<String> connectOrRetry() {
        try {
            connect();
            return Optional.empty();
        } catch (RuntimeException e) {
            if (settings.isFatal(e)) {
                close();
                throw e;
            }
            executor.topology().start();
            executor.topology().refresh();
            return Optional.of(reason(e.getCause() == null ? e : e.getCause()));
        }
    }

    private void connect() {
        long endNanos = System.nanoTime() + client.timeout().toNanos();
        Throwable last = null;
        int left = client.seeds().size();
        for (String seed : client.seeds()) {
            // A seed that does not reply leaves time for the remaining ones.
            Duration share = Duration.ofNanos(Math.max(1, (endNanos - System.nanoTime()) / left--));
            try {
                executor.topology().load(executor.nodes().node(seed), share).get(share.toNanos(), TimeUnit.NANOSECONDS);
                if (!executor.connectedMasters().isEmpty()) {
                    executor.topology().start();
                    return;
                }
                last = refusalOr(
                        last, new IllegalStateException("no master of the Cluster can be reached from " + seed));
            } catch (ExecutionException e) {
                last = refusalOr(last, e.getCause());
            } catch (TimeoutException e) {
                last = refusalOr(last, e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw cannotConnect(e);
            }
        }
        throw cannotConnect(last == null ? new IllegalStateException("no seed node is configured") : last);
    }

    /** A rejected connection is more informative than a seed that cannot be reached. */
    private static @Nullable Throwable refusalOr(@Nullable Throwable before, @Nullable Throwable now) {
        return before != null && RedisProblems.isRefusal(before) ? before : now;
    }

    private RuntimeException cannotConnect(Throwable problem) {
        String why = reason(problem);
        String advice =
                why.contains("cluster support disabled") ? "; this Redis is not a Cluster: use redis://host:port" : "";
        return failures.failure("connect", description, why + advice, false, problem);
    }

    private static String reason(Throwable problem) {
        return problem instanceof TimeoutException
                ? "can't connect: timed out"
                : RedisProblems.describeConnect(problem);
    }

    @Override
    public RedisExecutor executor() {
        return executor;
    }

    /**
     * Returns a set of additional connections to masters, each opened when it is first needed. They are closed together
     * with this link.
     *
     * @param timeout the timeout of calls on these connections
     */
    public NodeConnections openExtra(Duration timeout) {
        NodeConnections extra = new NodeConnections(
                client.client(), client.like(), timeout, connection -> executorOver(connection, timeout));
        extras.add(extra);
        if (closed) {
            extra.close();
        }
        return extra;
    }

    private LettuceExecutor executorOver(StatefulRedisConnection<byte[], byte[]> connection, Duration timeout) {
        LettuceExecutor node = new LettuceExecutor(
                executor.threads(),
                timeout,
                settings.maxInFlightCalls(),
                failures,
                new AtomicInteger(),
                new ReplicaFailover());
        node.use(connection);
        return node;
    }

    /** Closes additional connections. */
    public void close(NodeConnections extra) {
        extras.remove(extra);
        extra.close();
    }

    private void closeUnused(Set<String> masters) {
        executor.nodes().closeUnused(masters);
        extras.forEach(nodes -> nodes.closeUnused(masters));
    }

    /** The host and port of the master that owns the slot of the key, or null if its owner is unknown. */
    public @Nullable String ownerOf(String key) {
        return executor.ownerOf(key);
    }

    /** The addresses of all masters, as host and port. */
    public List<String> masters() {
        return executor.topology().table().masters().stream().map(Node::address).toList();
    }

    /** Reloads the slot assignment soon, in the background. */
    public void refresh() {
        executor.topology().refresh();
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> connectPubSub() {
        List<Node> masters = new ArrayList<>(executor.connectedMasters());
        Collections.shuffle(masters);
        RuntimeException last = new IllegalStateException("no master is connected");
        for (Node master : masters) {
            try {
                return attempts.await(() -> client.client()
                        .connectPubSubAsync(StringCodec.UTF8, executor.nodes().uri(master.address())));
            } catch (RedisException | IllegalStateException e) {
                last = e;
            }
        }
        throw cannotConnect(last);
    }

    @Override
    public boolean failsOverPubSub() {
        return true;
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public void close() {
        closed = true;
        attempts.close();
        executor.close();
        extras.forEach(NodeConnections::close);
        client.shutdown();
    }
}
