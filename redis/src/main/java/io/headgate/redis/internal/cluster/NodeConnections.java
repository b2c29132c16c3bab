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

/** One connection to each node of a Cluster, opened when the node is first needed. */
public final class NodeConnections implements AutoCloseable {

    /** A bound on the number of nodes; Redis recommends at most 1000. */
    private static final int MAX_NODES = 1024;

    private static final Duration MIN_UNUSED = Duration.ofSeconds(10);

    private final RedisClient client;
    private final RedisURI like;
    private final long unusedNanos;
    private final Function<StatefulRedisConnection<byte[], byte[]>, LettuceExecutor> executors;
    private final ConcurrentHashMap<String, Node> nodes = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * Creates an object without connections.
     *
     * @param like the URI whose settings apply to all nodes, except the host and port
     * @param timeout the timeout of a call, so that no connection with a call in flight is closed
     * @param executors creates the executor of a connection
     */
    NodeConnections(
            RedisClient client,
            RedisURI like,
            Duration timeout,
            Function<StatefulRedisConnection<byte[], byte[]>, LettuceExecutor> executors) {
        this.client = client;
        this.like = like;
        this.unusedNanos = MIN_UNUSED.plus(timeout).toNanos();
        this.executors = executors;
    }

    /** A node and its connection, which may not be open yet, or not any more. */
    public static final class Node {

        private final String address;
        private final CompletableFuture<LettuceExecutor> opening = new CompletableFuture<>();
        private volatile @Nullable StatefulRedisConnection<byte[], byte[]> connection;
        private volatile @Nullable LettuceExecutor executor;
        private volatile long usedNanos = System.nanoTime();

        private Node(String address) {
            this.address = address;
        }

        /** The host and port. */
        String address() {
            return address;
        }

        String host() {
            return address.substring(0, address.lastIndexOf(':'));
        }

        /** The executor of its connection, or null before the connection is open. */
        @Nullable
        LettuceExecutor executor() {
            return executor;
        }

        /** Completes with the executor when the connection is open, or fails if it cannot be opened. */
        public CompletableFuture<LettuceExecutor> opening() {
            return opening;
        }

        boolean isConnected() {
            LettuceExecutor there = executor;
            return there != null && there.isConnected();
        }

        /** Records that the node is in use, so that its connection is not closed as unused. */
        void use() {
            usedNanos = System.nanoTime();
        }
    }

    /**
     * Returns the node with this address, and opens its connection at the first use. If this object is closed or has too many
     * nodes, returns a node that is not stored, and whose {@link Node#opening} has failed.
     */
    public Node node(String address) {
        Node there = nodes.get(address);
        if (there == null && !closed && nodes.size() < MAX_NODES) {
            Node made = new Node(address);
            there = nodes.putIfAbsent(address, made);
            if (there == null) {
                open(made);
                return made;
            }
        }
        if (there == null) {
            Node rejected = new Node(address);
            rejected.opening.completeExceptionally(
                    new IllegalStateException(closed ? "closed" : "more than " + MAX_NODES + " nodes"));
            return rejected;
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
                    LettuceExecutor executor = executors.apply(connection);
                    node.executor = executor;
                    if (closed || !node.equals(nodes.get(node.address))) {
                        connection.closeAsync();
                    }
                    node.opening.complete(executor);
                });
    }

    /** Removes the node, so that its next use connects again. */
    private void failed(Node node, Throwable problem) {
        nodes.remove(node.address, node);
        node.opening.completeExceptionally(problem);
    }

    /** The URI of the node. */
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

    /** Closes the connections to nodes other than these masters that have not been used for 10 s plus the timeout. */
    void closeUnused(Set<String> masters) {
        long now = System.nanoTime();
        for (Node node : nodes.values()) {
            if (!masters.contains(node.address)
                    && now - node.usedNanos > unusedNanos
                    && nodes.remove(node.address, node)) {
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
            // Fails the callers that wait for a connection being opened.
            node.opening.completeExceptionally(new IllegalStateException("closed"));
        }
    }
}
