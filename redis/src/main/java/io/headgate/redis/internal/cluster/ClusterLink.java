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

/** The connections to the masters of a Cluster, by a client of the engine's own or as the application's would. */
public final class ClusterLink implements RedisLink {

    private final String description;
    private final Failures failures;
    private final ConnectionSettings settings;
    private final NodeClient client;
    private final ClusterExecutor executor;
    private final List<NodeConnections> others = new CopyOnWriteArrayList<>();
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
                : "Redis Cluster, by the application's client";
        try {
            this.client = NodeClient.of(settings);
        } catch (RedisException e) {
            throw cannotConnect(e);
        }
        this.executor = new ClusterExecutor(settings, client, failures, this::closeOthers);
        this.unreached = connectOrGoOn();
    }

    @Override
    public Optional<String> unreached() {
        return unreached;
    }

    @Override
    public boolean isRequired() {
        return settings.requiresConnection();
    }

    /** Connects, or says why not, and then goes on asking until it has. */
    private Optional<String> connectOrGoOn() {
        try {
            connect();
            return Optional.empty();
        } catch (RuntimeException e) {
            if (settings.isFatal(e)) {
                close();
                throw e;
            }
            executor.topology().goOn();
            executor.topology().refresh();
            return Optional.of(why(e.getCause() == null ? e : e.getCause()));
        }
    }

    private void connect() {
        long endNanos = System.nanoTime() + client.timeout().toNanos();
        Throwable last = null;
        int left = client.seeds().size();
        for (String seed : client.seeds()) {
            // One that does not answer leaves time for the others.
            Duration share = Duration.ofNanos(Math.max(1, (endNanos - System.nanoTime()) / left--));
            try {
                executor.topology()
                        .begin(executor.nodes().node(seed), share)
                        .get(share.toNanos(), TimeUnit.NANOSECONDS);
                if (!executor.connectedMasters().isEmpty()) {
                    executor.topology().goOn();
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
        throw cannotConnect(last == null ? new IllegalStateException("no node is known") : last);
    }

    /** That one node refuses says more than that another can't be reached. */
    private static @Nullable Throwable refusalOr(@Nullable Throwable before, @Nullable Throwable now) {
        return before != null && RedisProblems.isRefusal(before) ? before : now;
    }

    private RuntimeException cannotConnect(Throwable problem) {
        String why = why(problem);
        String advice = why.contains("cluster support disabled") ? "; this is no Cluster: give redis://host:port" : "";
        return failures.failure("connect", description, why + advice, false, problem);
    }

    private static String why(Throwable problem) {
        return problem instanceof TimeoutException
                ? "can't connect: no answer in time"
                : RedisProblems.describeConnect(problem);
    }

    @Override
    public RedisExecutor executor() {
        return executor;
    }

    /**
     * More connections to masters, each opened when it is asked for first; they are closed with this.
     *
     * @param timeout how long to wait for an answer there
     */
    public NodeConnections openExtra(Duration timeout) {
        NodeConnections more =
                new NodeConnections(client.client(), client.like(), timeout, connection -> calls(connection, timeout));
        others.add(more);
        if (closed) {
            more.close();
        }
        return more;
    }

    private LettuceExecutor calls(StatefulRedisConnection<byte[], byte[]> connection, Duration timeout) {
        LettuceExecutor calls = new LettuceExecutor(
                executor.threads(),
                timeout,
                settings.maxInFlightCalls(),
                failures,
                new AtomicInteger(),
                new ReplicaFailover());
        calls.use(connection);
        return calls;
    }

    /** Closes those again. */
    public void close(NodeConnections more) {
        others.remove(more);
        more.close();
    }

    private void closeOthers(Set<String> masters) {
        executor.nodes().closeOthers(masters);
        others.forEach(nodes -> nodes.closeOthers(masters));
    }

    /** The host and port of the master that has the slot of the key; nothing when nobody is known to have it. */
    public @Nullable String ownerOf(String key) {
        return executor.ownerOf(key);
    }

    /** All masters, by host and port. */
    public List<String> masters() {
        return executor.topology().table().masters().stream().map(Node::address).toList();
    }

    /** Learns soon who has which slot. */
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
        others.forEach(NodeConnections::close);
        client.shutdown();
    }
}
