package io.headgate.redis.internal.cluster;

import io.headgate.redis.internal.cluster.NodeConnections.Node;
import io.headgate.redis.internal.connection.CallRedirector;
import io.headgate.redis.internal.connection.ConnectionSettings;
import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.connection.Flight;
import io.headgate.redis.internal.connection.LettuceExecutor;
import io.headgate.redis.internal.script.PairedReplies;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.TrailingCommand;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends each call to the master that owns the slot of its first key. A node that does not serve the slot does nothing and replies MOVED or
 * ASK. The call is then sent to the node named in that redirect, within the timeout of the call. After TRYAGAIN or READONLY, which also
 * mean that nothing was executed, it is sent again after a pause. Only a divisible call fails after TRYAGAIN, so that its caller splits it.
 * So each call is executed at most once, as over one connection.
 */
final class ClusterExecutor implements RedisExecutor, CallRedirector, PairedRetry.Masters {

    private static final String NOTHING_SENT = "; nothing was sent";
    private static final String CLOSED = "the connection was closed";

    private final Duration timeout;
    private final int maxInFlightCalls;
    private final Failures failures;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final NodeConnections nodes;
    private final Topology topology;

    /** The tasks that fail paused calls when this executor closes. */
    private final Set<Runnable> whenClosedTasks = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    ClusterExecutor(
            ConnectionSettings settings, NodeClient client, Failures failures, Consumer<Set<String>> onTopology) {
        this.timeout = settings.timeout();
        this.maxInFlightCalls = settings.maxInFlightCalls();
        this.failures = failures;
        this.nodes = new NodeConnections(client.client(), client.like(), timeout, this::executorOver);
        this.topology = new Topology(nodes, client.seeds(), onTopology);
    }

    private LettuceExecutor executorOver(StatefulRedisConnection<byte[], byte[]> connection) {
        LettuceExecutor node = new LettuceExecutor(threads(), timeout, maxInFlightCalls, failures, inFlight, this);
        node.use(connection);
        return node;
    }

    Topology topology() {
        return topology;
    }

    NodeConnections nodes() {
        return nodes;
    }

    @Override
    public <T> CompletableFuture<T> executeInAnyCase(ScriptCall<T> call) {
        ClusterFlight<T> flight = flight(call, () -> {}, false);
        inFlight.incrementAndGet();
        route(flight);
        return flight;
    }

    private <T> ClusterFlight<T> flight(ScriptCall<T> call, Runnable whenEnded, boolean divisible) {
        return new ClusterFlight<>(call, failures, System.nanoTime() + timeout.toNanos(), whenEnded, divisible);
    }

    @Override
    public <T> CompletableFuture<T> execute(ScriptCall<T> call, Runnable whenEnded) {
        return execute(call, whenEnded, false);
    }

    @Override
    public <T> CompletableFuture<T> executeDivisible(ScriptCall<T> call, Runnable whenEnded) {
        return execute(call, whenEnded, true);
    }

    private <T> CompletableFuture<T> execute(ScriptCall<T> call, Runnable whenEnded, boolean divisible) {
        ClusterFlight<T> flight = flight(call, whenEnded, divisible);
        if (inFlight.incrementAndGet() > maxInFlightCalls) {
            abandon(flight, "too many calls are in flight: " + maxInFlightCalls + NOTHING_SENT, null);
        } else {
            route(flight);
        }
        return flight;
    }

    private void route(ClusterFlight<?> flight) {
        LettuceExecutor there = executorFor(flight.call());
        if (there == null) {
            topology.refresh();
            abandon(flight, notConnected(flight.call()), null);
        } else {
            there.resend(flight);
        }
    }

    private String notConnected(ScriptCall<?> call) {
        return (call.keys().length == 0 ? "no master" : "the master of slot " + SlotHash.getSlot(call.firstKey()))
                + " is not connected" + NOTHING_SENT;
    }

    private @Nullable LettuceExecutor executorFor(ScriptCall<?> call) {
        if (call.keys().length == 0) {
            return anyMaster();
        }
        Node node = topology.table().of(SlotHash.getSlot(call.firstKey()));
        return node == null ? null : node.executor();
    }

    /** The executor for calls without keys: of the same master as long as it is connected, so that these calls keep their order. */
    private @Nullable LettuceExecutor anyMaster() {
        LettuceExecutor some = null;
        for (Node node : topology.table().masters()) {
            if (node.isConnected()) {
                return node.executor();
            }
            some = node.executor();
        }
        return some;
    }

    private void abandon(ClusterFlight<?> flight, String problem, @Nullable Throwable cause) {
        inFlight.decrementAndGet();
        flight.stop(problem, false, cause);
    }

    @Override
    public boolean redirect(Flight<?> failed, Throwable problem, Origin from) {
        Redirect redirect = Redirect.of(problem);
        if (redirect == null) {
            return false;
        }
        // While a slot migrates (ASK, TRYAGAIN), its owner stays the same.
        if (redirect.kind() != Redirect.Kind.ASK && redirect.kind() != Redirect.Kind.TRYAGAIN) {
            topology.refresh();
        }
        if (!(failed instanceof ClusterFlight<?> flight) || flight.isDone()) {
            return false;
        }
        if (isDoneOrLate(flight)) {
            abandon(flight, timeoutProblem(), problem);
            return true;
        }
        return redirect(flight, redirect, from);
    }

    private static boolean isDoneOrLate(ClusterFlight<?> flight) {
        return flight.isDone() || flight.isLateAt(System.nanoTime());
    }

    private boolean redirect(ClusterFlight<?> flight, Redirect redirect, Origin from) {
        return switch (redirect.kind()) {
            case MOVED, ASK -> {
                if (!flight.countHop(redirect.kind() == Redirect.Kind.ASK)) {
                    // The nodes redirect to each other: pause until they agree or the call times out.
                    yield pause(flight);
                }
                node(redirect, from).opening().whenComplete((there, problem) -> sendAgain(flight, there, problem));
                yield true;
            }
            case TRYAGAIN -> !flight.isDivisible() && pause(flight);
            case READONLY -> pause(flight);
            case CLUSTERDOWN -> false;
        };
    }

    private boolean pause(ClusterFlight<?> flight) {
        return pause(
                flight.pauseMillis(),
                () -> sendAgain(flight),
                () -> abandon(flight, CLOSED + "; nothing was done", null));
    }

    @Override
    public boolean pause(long millis, Runnable task, Runnable whenClosed) {
        if (closed || threads().isShuttingDown()) {
            return false;
        }
        whenClosedTasks.add(whenClosed);
        threads()
                .schedule(
                        () -> {
                            if (whenClosedTasks.remove(whenClosed)) {
                                task.run();
                            }
                        },
                        millis,
                        TimeUnit.MILLISECONDS);
        if (closed && whenClosedTasks.remove(whenClosed)) {
            whenClosed.run();
        }
        return true;
    }

    private void sendAgain(ClusterFlight<?> flight) {
        if (isDoneOrLate(flight)) {
            abandon(flight, timeoutProblem(), null);
        } else {
            route(flight);
        }
    }

    private void sendAgain(ClusterFlight<?> flight, @Nullable LettuceExecutor there, @Nullable Throwable problem) {
        if (there == null) {
            abandon(flight, "the node that owns the keys cannot be reached" + NOTHING_SENT, problem);
        } else if (isDoneOrLate(flight)) {
            abandon(flight, timeoutProblem(), null);
        } else {
            there.resend(flight);
        }
    }

    private String timeoutProblem() {
        return "no answer within " + timeout.toMillis() + " ms";
    }

    /** The node named in the redirect. A redirect without a host means the host of the node that replied. */
    private Node node(Redirect redirect, Origin from) {
        String address = redirect.address();
        if (!redirect.namesHost()) {
            String host = nodes.all().stream()
                    .filter(node -> from.equals(node.executor()))
                    .findFirst()
                    .map(Node::host)
                    .orElse("");
            return nodes.node(host + address.substring(address.lastIndexOf(':')));
        }
        return nodes.node(address);
    }

    @Override
    public <T, R> PairedReplies<T, R> execute(ScriptCall<T> call, TrailingCommand<R> trailing) {
        return new PairedRetry<>(this, call, trailing, System.nanoTime() + timeout.toNanos()).send();
    }

    @Override
    public <T, R> PairedReplies<T, R> executeOnce(ScriptCall<T> call, TrailingCommand<R> trailing) {
        LettuceExecutor there = executorFor(call);
        if (there != null) {
            return there.execute(call, trailing);
        }
        topology.refresh();
        RuntimeException problem =
                failures.failure(call.script().name(), call.firstKey(), notConnected(call), false, null);
        return new PairedReplies<>(CompletableFuture.failedFuture(problem), CompletableFuture.failedFuture(problem));
    }

    @Override
    public CompletableFuture<byte[]> command(String name, byte[]... arguments) {
        LettuceExecutor master = anyMaster();
        return master == null
                ? CompletableFuture.failedFuture(
                        failures.failure(name, "Redis", "no master is connected" + NOTHING_SENT, false, null))
                : master.command(name, arguments);
    }

    @Override
    public boolean mayOvertake() {
        for (Node node : topology.table().masters()) {
            LettuceExecutor there = node.executor();
            if (there != null && there.mayOvertake()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean isConnected() {
        return topology.table().isWhole();
    }

    @Override
    public void disconnected() {
        topology.refresh();
    }

    @Override
    public void timedOut() {
        topology.refresh();
    }

    @Override
    public EventExecutorGroup threads() {
        return nodes.threads();
    }

    @Override
    public int callsInFlight() {
        return inFlight.get();
    }

    @Override
    public boolean isCluster() {
        return true;
    }

    void close() {
        closed = true;
        topology.close();
        nodes.close();
        for (Runnable end : List.copyOf(whenClosedTasks)) {
            if (whenClosedTasks.remove(end)) {
                end.run();
            }
        }
    }

    @Nullable
    String ownerOf(String key) {
        Node node = topology.table().of(SlotHash.getSlot(key));
        return node == null ? null : node.address();
    }

    /** The masters that are connected. */
    List<Node> connectedMasters() {
        return topology.table().masters().stream().filter(Node::isConnected).toList();
    }
}
