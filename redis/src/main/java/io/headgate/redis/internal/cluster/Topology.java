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
 * Knows which node of a Cluster has which slot. The masters are asked every ten seconds, and sooner when there is reason to: a
 * node that says that another one has the slot, a connection that breaks, an answer that is late; but no more than ten times a
 * second. What most of them say holds, and a master that is new is connected to before anything is sent to it.
 */
final class Topology {

    private static final Duration EVERY = Duration.ofSeconds(10);
    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(1);
    private static final long LEAST_APART_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int LONGEST_PAUSE_MILLIS = 1000;
    private static final int MOST_ASKED = 5;
    private static final int MOST_OPENED = 16;

    private final NodeConnections nodes;
    private final List<String> seeds;
    private final Consumer<Set<String>> tidying;
    private final EventExecutor thread;
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile @Nullable ScheduledFuture<?> regular;
    private volatile boolean wanted;
    private volatile boolean closed;
    private volatile long askedNanos = System.nanoTime() - LEAST_APART_NANOS;
    private volatile SlotTable table = SlotTable.EMPTY;

    /** How often there was reason to ask again, one after the other. On the thread only. */
    private int troubles;

    /**
     * Knows nothing yet.
     *
     * @param seeds hosts and ports of nodes to begin with
     * @param tidying is told every now and then which masters there are
     */
    Topology(NodeConnections nodes, List<String> seeds, Consumer<Set<String>> tidying) {
        this.nodes = nodes;
        this.seeds = seeds;
        this.tidying = tidying;
        this.thread = nodes.threads().next();
    }

    SlotTable table() {
        return table;
    }

    /** Asks one node, which may take so long, and then knows; for the beginning, before anybody else asks. */
    CompletableFuture<Void> begin(Node seed, Duration atMost) {
        return viewOf(seed, atMost).thenCompose(this::adopt);
    }

    /** Asks every now and then from now on. */
    void goOn() {
        regular =
                thread.scheduleWithFixedDelay(this::refresh, EVERY.toMillis(), EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Asks soon, as what is known may be out of date. */
    void refresh() {
        wanted = true;
        if (!closed && !thread.isShuttingDown() && asking.compareAndSet(false, true)) {
            long apartNanos = LEAST_APART_NANOS - (System.nanoTime() - askedNanos);
            thread.schedule(this::ask, Math.max(0, apartNanos), TimeUnit.NANOSECONDS);
        }
    }

    /** Asks no more, also where its threads go on, as they are the application's. */
    void close() {
        closed = true;
        ScheduledFuture<?> there = regular;
        if (there != null) {
            there.cancel(false);
        }
    }

    private void ask() {
        if (closed) {
            return;
        }
        wanted = false;
        askedNanos = System.nanoTime();
        List<SlotView> views = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<?>[] answers = toAsk().stream()
                .map(node -> viewOf(node, LONGEST_ANSWER).thenAccept(views::add).exceptionally(problem -> null))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(answers)
                .thenCompose(all -> {
                    SlotView most = SlotView.mostAgreed(List.copyOf(views), table.view());
                    return most == null ? CompletableFuture.completedFuture(null) : adopt(most);
                })
                .whenCompleteAsync((done, problem) -> asked(), thread);
    }

    private void asked() {
        asking.set(false);
        tidying.accept(table.masters().stream().map(Node::address).collect(Collectors.toSet()));
        if (wanted) {
            refresh();
        } else if (table.isWhole()) {
            troubles = 0;
        } else if (!closed && !thread.isShuttingDown()) {
            int pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, 100 << Math.min(troubles++, 5));
            thread.schedule(this::refresh, pauseMillis, TimeUnit.MILLISECONDS);
        }
    }

    /** Some of the masters; where none is connected, all of whom anything was heard. */
    private List<Node> toAsk() {
        List<Node> connected = new ArrayList<>(
                table.masters().stream().filter(Node::isConnected).toList());
        if (!connected.isEmpty()) {
            Collections.shuffle(connected);
            return connected.subList(0, Math.min(MOST_ASKED, connected.size()));
        }
        Set<String> known = new LinkedHashSet<>(seeds);
        SlotView view = table.view();
        if (view != null) {
            known.addAll(view.replicas());
        }
        return known.stream().limit(MOST_OPENED).map(nodes::node).toList();
    }

    private static CompletableFuture<SlotView> viewOf(Node node, Duration atMost) {
        return node.opening()
                .thenCompose(LettuceExecutor::slots)
                .thenApply(reply -> SlotView.of(reply, node.host()))
                .copy()
                .orTimeout(atMost.toMillis(), TimeUnit.MILLISECONDS);
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
                .orTimeout(LONGEST_ANSWER.toMillis(), TimeUnit.MILLISECONDS)
                .handle((done, late) -> {
                    Set<Node> left = new HashSet<>(before.masters());
                    left.removeAll(now.masters());
                    left.forEach(Node::use);
                    table = now;
                    return null;
                });
    }

    private static boolean isSame(@Nullable SlotView one, SlotView other) {
        return Objects.equals(one, other);
    }
}
