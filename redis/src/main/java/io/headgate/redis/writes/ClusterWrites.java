package io.headgate.redis.writes;

import io.headgate.redis.internal.ClusterLink;
import io.headgate.redis.internal.Failures;
import io.headgate.redis.internal.LettuceExecutor;
import io.headgate.redis.internal.NodeConnections;
import io.headgate.redis.internal.Redirect;
import io.headgate.redis.internal.ScriptCall;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has each master of a Cluster confirm what it was sent, over a connection of its own. What a node did not do, as it has not the
 * slot, is sent to the one that has, as long as there is time.
 */
final class ClusterWrites implements Writes {

    private static final int PAUSE_MILLIS = 20;

    private final ClusterLink link;
    private final Confirmation confirmation;
    private final Duration longest;
    private final Failures failures;
    private final NodeConnections nodes;
    private final Map<LettuceExecutor, ConfirmedWrites> writes = new ConcurrentHashMap<>();

    ClusterWrites(ClusterLink link, Confirmation confirmation, Duration longest, Failures failures) {
        this.link = link;
        this.confirmation = confirmation;
        this.longest = longest;
        this.failures = failures;
        this.nodes = link.another(longest);
    }

    /** Tries the confirmation out at a master that can be reached. */
    void tryOut(Consumer<LettuceExecutor> trying) {
        RuntimeException last = failures.failure("confirm", link.description(), "no master is known", false, null);
        for (String master : link.masters()) {
            try {
                trying.accept(nodes.node(master).opening().join());
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
        return Written.sure(write(call), answer -> {});
    }

    @Override
    public <T> CompletableFuture<Written<T>> write(ScriptCall<T> call) {
        Attempt<T> attempt = new Attempt<>(call);
        attempt.toOwner();
        return attempt.told;
    }

    private ConfirmedWrites over(LettuceExecutor executor) {
        if (!writes.containsKey(executor)) {
            // Of nodes that are gone.
            writes.keySet().removeIf(there -> !there.isConnected());
        }
        return writes.computeIfAbsent(executor, there -> new ConfirmedWrites(there, confirmation, failures));
    }

    /** A call on its way to the node that does it. */
    private final class Attempt<T> {

        private final ScriptCall<T> call;
        private final long endNanos = System.nanoTime() + longest.toNanos();
        private final CompletableFuture<Written<T>> told = new CompletableFuture<>();

        Attempt(ScriptCall<T> call) {
            this.call = call;
        }

        void toOwner() {
            String owner = link.ownerOf(call.firstKey());
            if (owner == null) {
                link.refresh();
                fail("nobody is known to have its slot; nothing was sent", null);
            } else {
                to(owner, false);
            }
        }

        private void to(String address, boolean asking) {
            CompletableFuture<LettuceExecutor> opening = nodes.node(address).opening();
            // To connect may take longer than a call.
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

        private void ended(@Nullable Written<T> written, @Nullable Throwable problem) {
            Redirect redirect = problem == null ? null : Redirect.of(problem.getCause());
            if (written != null) {
                told.complete(written);
            } else if (redirect == null
                    || redirect.kind() == Redirect.Kind.CLUSTERDOWN
                    || System.nanoTime() - endNanos > 0) {
                told.completeExceptionally(problem == null ? new IllegalStateException("no answer") : problem);
            } else {
                again(redirect);
            }
        }

        private void again(Redirect redirect) {
            if (redirect.kind() == Redirect.Kind.ASK && redirect.namesHost()) {
                to(redirect.address(), true);
                return;
            }
            link.refresh();
            // Lest it goes round and round until that is known.
            CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS)
                    .execute(this::toOwner);
        }

        private void fail(String problem, @Nullable Throwable cause) {
            told.completeExceptionally(failures.failure(call.script().name(), call.firstKey(), problem, false, cause));
        }
    }
}
