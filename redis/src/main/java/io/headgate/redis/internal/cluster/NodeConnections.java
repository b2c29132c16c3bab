package io.headgate.redis.internal.cluster;

import io.headgate.redis.internal.connection.Handshakes;
import io.headgate.redis.internal.connection.LettuceExecutor;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One connection to each node of a Cluster that is asked, opened when it is asked first. */
public final class NodeConnections implements AutoCloseable {

    /** A Cluster has no more. */
    private static final int MOST = 1024;

    private static final Duration LONG = Duration.ofSeconds(10);

    private final RedisClient client;
    private final RedisURI like;
    private final long unusedNanos;
    private final Function<StatefulRedisConnection<byte[], byte[]>, LettuceExecutor> calls;
    private final ConcurrentHashMap<String, Node> nodes = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * None yet.
     *
     * @param like how they are connected to, but for the host and port
     * @param timeout how long a call may take, so that no connection is closed on which one waits
     * @param calls makes what sends calls over a connection
     */
    NodeConnections(
            RedisClient client,
            RedisURI like,
            Duration timeout,
            Function<StatefulRedisConnection<byte[], byte[]>, LettuceExecutor> calls) {
        this.client = client;
        this.like = like;
        this.unusedNanos = LONG.plus(timeout).toNanos();
        this.calls = calls;
    }

    /** A node, and the connection to it, which may not be there yet or any more. */
    public static final class Node {

        private final String address;
        private final CompletableFuture<LettuceExecutor> opening = new CompletableFuture<>();
        private volatile @Nullable StatefulRedisConnection<byte[], byte[]> connection;
        private volatile @Nullable LettuceExecutor executor;
        private volatile long usedNanos = System.nanoTime();

        private Node(String address) {
            this.address = address;
        }

        /** Its host and port. */
        String address() {
            return address;
        }

        String host() {
            return address.substring(0, address.lastIndexOf(':'));
        }

        /** What sends calls there; nothing before there was a connection. */
        @Nullable
        LettuceExecutor executor() {
            return executor;
        }

        /** The same when there is a connection, or why there is none. */
        public CompletableFuture<LettuceExecutor> opening() {
            return opening;
        }

        boolean isConnected() {
            LettuceExecutor there = executor;
            return there != null && there.isConnected();
        }

        /** It is needed, for some time. */
        void use() {
            usedNanos = System.nanoTime();
        }
    }

    /** The node at that host and port, to which there is a connection, or is soon. */
    public Node node(String address) {
        Node there = nodes.get(address);
        if (there == null && !closed && nodes.size() < MOST) {
            Node made = new Node(address);
            there = nodes.putIfAbsent(address, made);
            if (there == null) {
                open(made);
                return made;
            }
        }
        if (there == null) {
            Node refused = new Node(address);
            refused.opening.completeExceptionally(
                    new IllegalStateException(closed ? "closed" : "more than " + MOST + " nodes"));
            return refused;
        }
        there.use();
        return there;
    }

    private void open(Node node) {
        RedisURI there;
        try {
            there = uri(node.address);
        } catch (RuntimeException e) {
            failed(node, e);
            return;
        }
        Handshakes.withReason(() -> client.connectAsync(ByteArrayCodec.INSTANCE, there), () -> !closed)
                .whenComplete((connection, problem) -> {
                    if (connection == null) {
                        failed(node, problem);
                        return;
                    }
                    node.connection = connection;
                    LettuceExecutor executor = calls.apply(connection);
                    node.executor = executor;
                    if (closed || !node.equals(nodes.get(node.address))) {
                        connection.closeAsync();
                    }
                    node.opening.complete(executor);
                });
    }

    /** The next one who needs it tries again. */
    private void failed(Node node, Throwable problem) {
        nodes.remove(node.address, node);
        node.opening.completeExceptionally(problem);
    }

    /** How a node is connected to. */
    RedisURI uri(String address) {
        int colon = address.lastIndexOf(':');
        return RedisURI.builder(like)
                .withHost(address.substring(0, colon))
                .withPort(Integer.parseInt(address.substring(colon + 1)))
                .build();
    }

    Collection<Node> all() {
        return nodes.values();
    }

    /** Closes the connections to others that nobody has needed for some time. */
    void closeOthers(Set<String> but) {
        long now = System.nanoTime();
        for (Node node : nodes.values()) {
            if (!but.contains(node.address) && now - node.usedNanos > unusedNanos && nodes.remove(node.address, node)) {
                close(node);
            }
        }
    }

    private static void close(Node node) {
        StatefulRedisConnection<byte[], byte[]> connection = node.connection;
        if (connection != null) {
            connection.closeAsync();
        }
    }

    private static void closeNow(Node node) {
        StatefulRedisConnection<byte[], byte[]> connection = node.connection;
        if (connection != null) {
            connection.close();
        }
    }

    EventExecutorGroup threads() {
        return client.getResources().eventExecutorGroup();
    }

    @Override
    public void close() {
        closed = true;
        for (Node node : nodes.values()) {
            closeNow(node);
            // Where it was not there yet: nobody waits for it any longer.
            node.opening.completeExceptionally(new IllegalStateException("closed"));
        }
    }
}
