package io.headgate.redis.queues.internal.durability;

import io.headgate.redis.internal.cluster.ClusterLink;
import io.headgate.redis.internal.cluster.NodeConnections;
import io.headgate.redis.internal.cluster.Redirect;
import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.connection.LettuceExecutor;
import io.headgate.redis.internal.script.ScriptCall;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Confirmed writes to a Cluster, over an additional connection to each master. A call that a node redirects is sent again until the
 * timeout of the call: after {@code ASK} to the node that the reply names, otherwise to the owner of the slot.
 */
final class ClusterWrites implements Writes {

    private static final int PAUSE_MILLIS = 20;

    private final ClusterLink link;
    private final Confirmation confirmation;
    /** The timeout of a call with its confirmation. */
    private final Duration timeout;

    private final Failures failures;
    private final NodeConnections nodes;
    private final Map<LettuceExecutor, ConfirmedWrites> writesByNode = new ConcurrentHashMap<>();

    ClusterWrites(ClusterLink link, Confirmation confirmation, Duration timeout, Failures failures) {
        this.link = link;
        this.confirmation = confirmation;
        this.timeout = timeout;
        this.failures = failures;
        this.nodes = link.openExtra(timeout);
    }

    /** Probes the confirmation on the first reachable master. */
    void probe(Consumer<LettuceExecutor> probing) {
        RuntimeException last = failures.failure("confirm", link.description(), "no master is known", false, null);
        for (String master : link.masters()) {
            try {
                probing.accept(nodes.node(master).opening().join());
                return;
            } catch (CompletionException e) {
                last = failures.failure("confirm", link.description(), "can't connect to " + master, false, e);
            }
        }
        throw last;
    }

    void close() {
        link.close(nodes);
    }

    @Override
    public <T> CompletableFuture<T> execute(ScriptCall<T> call) {
        return WriteResult.confirmedOrFailed(write(call), reply -> {});
    }

    @Override
    public <T> CompletableFuture<WriteResult<T>> write(ScriptCall<T> call) {
        Attempt<T> attempt = new Attempt<>(call);
        attempt.sendToOwner();
        return attempt.result;
    }

    private ConfirmedWrites over(LettuceExecutor executor) {
        if (!writesByNode.containsKey(executor)) {
            // Removes the writes of nodes that have left the Cluster.
            writesByNode.keySet().removeIf(there -> !there.isConnected());
        }
        return writesByNode.computeIfAbsent(executor, there -> new ConfirmedWrites(there, confirmation, failures));
    }

    /** A call in flight, and the redirects that it follows. */
    private final class Attempt<T> {

        private final ScriptCall<T> call;
        private final long endNanos = System.nanoTime() + timeout.toNanos();
        private final CompletableFuture<WriteResult<T>> result = new CompletableFuture<>();

        Attempt(ScriptCall<T> call) {
            this.call = call;
        }

        void sendToOwner() {
            String owner = link.ownerOf(call.firstKey());
            if (owner == null) {
                link.refresh();
                fail("the master of its slot is not known; nothing was sent", null);
            } else {
                sendTo(owner, false);
            }
        }

        private void sendTo(String address, boolean asking) {
            CompletableFuture<LettuceExecutor> opening = nodes.node(address).opening();
            // Connecting may take longer than a call.
            CompletableFuture<LettuceExecutor> inTime = opening.isDone()
                    ? opening
                    : opening.copy().orTimeout(Math.max(1, endNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
            inTime.whenComplete((executor, problem) -> {
                if (executor == null) {
                    link.refresh();
                    fail("not connected to " + address + "; nothing was sent", problem);
                } else {
                    over(executor).write(call, asking).whenComplete(this::ended);
                }
            });
        }

        private void ended(@Nullable WriteResult<T> written, @Nullable Throwable problem) {
            Redirect redirect = problem == null ? null : Redirect.of(problem.getCause());
            if (written != null) {
                result.complete(written);
            } else if (redirect == null
                    || redirect.kind() == Redirect.Kind.CLUSTERDOWN
                    || System.nanoTime() - endNanos > 0) {
                result.completeExceptionally(problem == null ? new IllegalStateException("no reply") : problem);
            } else {
                follow(redirect);
            }
        }

        private void follow(Redirect redirect) {
            if (redirect.kind() == Redirect.Kind.ASK && redirect.namesHost()) {
                sendTo(redirect.address(), true);
                return;
            }
            link.refresh();
            // The pause prevents a busy loop until the topology is refreshed.
            CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS)
                    .execute(this::sendToOwner);
        }

        private void fail(String problem, @Nullable Throwable cause) {
            result.completeExceptionally(
                    failures.failure(call.script().name(), call.firstKey(), problem, false, cause));
        }
    }
}
