package io.headgate.redis.internal.cluster;

import io.headgate.redis.internal.cluster.NodeConnections.Node;
import io.headgate.redis.internal.connection.LettuceExecutor;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Maintains the slot table of a Cluster. It queries some masters every ten seconds. It does so sooner, but at most ten times a
 * second, when the table may be outdated or is incomplete: for example after a MOVED redirect, a broken connection or a
 * timeout. The view that most of them report is used. Before that, the connections to its masters are opened, for up to a
 * second.
 */
final class Topology {

    private static final Duration EVERY = Duration.ofSeconds(10);
    private static final Duration MAX_REPLY_TIME = Duration.ofSeconds(1);
    private static final long MIN_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int MAX_PAUSE_MILLIS = 1000;
    private static final int MAX_QUERIED_MASTERS = 5;
    private static final int MAX_QUERIED_SEEDS = 16;

    private final NodeConnections nodes;
    private final List<String> seeds;
    private final Consumer<Set<String>> afterRefresh;
    private final EventExecutor thread;
    private final AtomicBoolean isRefreshing = new AtomicBoolean();
    private volatile @Nullable ScheduledFuture<?> regular;
    private volatile boolean isRefreshRequested;
    private volatile boolean closed;
    private volatile long refreshedNanos = System.nanoTime() - MIN_INTERVAL_NANOS;
    private volatile SlotTable table = SlotTable.EMPTY;

    /** The number of refreshes in a row after which some slots had no connected owner. Only used on the thread. */
    private int incompleteRefreshes;

    /**
     * Creates an empty topology.
     *
     * @param seeds hosts and ports of the nodes from which the others are discovered
     * @param afterRefresh receives the addresses of the masters after each refresh
     */
    Topology(NodeConnections nodes, List<String> seeds, Consumer<Set<String>> afterRefresh) {
        this.nodes = nodes;
        this.seeds = seeds;
        this.afterRefresh = afterRefresh;
        this.thread = nodes.threads().next();
    }

    SlotTable table() {
        return table;
    }

    /** Loads the topology from one node, before the periodic refreshes start. */
    CompletableFuture<Void> load(Node seed, Duration timeout) {
        return viewOf(seed, timeout).thenCompose(this::adopt);
    }

    /** Starts the periodic refreshes. */
    void start() {
        regular =
                thread.scheduleWithFixedDelay(this::refresh, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Refreshes soon, because the current table may be outdated. */
    void refresh() {
        isRefreshRequested = true;
        if (!closed && !thread.isShuttingDown() && isRefreshing.compareAndSet(false, true)) {
            long delayNanos = MIN_INTERVAL_NANOS - (System.nanoTime() - refreshedNanos);
            thread.schedule(this::queryNodes, Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
        }
    }

    /** Stops the refreshes. The threads may belong to the application and continue to run. */
    void close() {
        closed = true;
        ScheduledFuture<?> there = regular;
        if (there != null) {
            there.cancel(false);
        }
    }

    private void queryNodes() {
        if (closed) {
            return;
        }
        isRefreshRequested = false;
        refreshedNanos = System.nanoTime();
        List<SlotView> views = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<?>[] replies = nodesToQuery().stream()
                .map(node -> viewOf(node, MAX_REPLY_TIME).thenAccept(views::add).exceptionally(problem -> null))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(replies)
                .thenCompose(all -> {
                    SlotView agreed = SlotView.mostAgreed(List.copyOf(views), table.view());
                    return agreed == null ? CompletableFuture.completedFuture(null) : adopt(agreed);
                })
                .whenCompleteAsync((done, problem) -> refreshed(), thread);
    }

    private void refreshed() {
        isRefreshing.set(false);
        afterRefresh.accept(table.masters().stream().map(Node::address).collect(Collectors.toSet()));
        if (isRefreshRequested) {
            refresh();
        } else if (table.isWhole()) {
            incompleteRefreshes = 0;
        } else if (!closed && !thread.isShuttingDown()) {
            int pauseMillis = Math.min(MAX_PAUSE_MILLIS, 100 << Math.min(incompleteRefreshes++, 5));
            thread.schedule(this::refresh, pauseMillis, TimeUnit.MILLISECONDS);
        }
    }

    /** Some of the connected masters. If none is connected, the seeds and known replicas. */
    private List<Node> nodesToQuery() {
        List<Node> connected = new ArrayList<>(
                table.masters().stream().filter(Node::isConnected).toList());
        if (!connected.isEmpty()) {
            Collections.shuffle(connected);
            return connected.subList(0, Math.min(MAX_QUERIED_MASTERS, connected.size()));
        }
        Set<String> known = new LinkedHashSet<>(seeds);
        SlotView view = table.view();
        if (view != null) {
            known.addAll(view.replicas());
        }
        return known.stream().limit(MAX_QUERIED_SEEDS).map(nodes::node).toList();
    }

    private static CompletableFuture<SlotView> viewOf(Node node, Duration timeout) {
        return node.opening()
                .thenCompose(LettuceExecutor::slots)
                .thenApply(reply -> SlotView.of(reply, node.host()))
                .copy()
                .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private CompletableFuture<Void> adopt(SlotView view) {
        SlotTable before = table;
        SlotTable now = new SlotTable(view, nodes::node);
        if (isSame(before.view(), view) && before.masters().equals(now.masters())) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<?>[] opened = now.masters().stream()
                .map(node -> node.opening().handle((executor, problem) -> null))
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(opened)
                .orTimeout(MAX_REPLY_TIME.toMillis(), TimeUnit.MILLISECONDS)
                .handle((done, late) -> {
                    Set<Node> left = new HashSet<>(before.masters());
                    left.removeAll(now.masters());
                    // Calls to former masters may be in flight, so their connections are kept for a while.
                    left.forEach(Node::use);
                    table = now;
                    return null;
                });
    }

    private static boolean isSame(@Nullable SlotView one, SlotView other) {
        return Objects.equals(one, other);
    }
}
