package io.headgate.redis.internal.script;

import io.headgate.redis.internal.cluster.Redirect;
import io.netty.util.concurrent.EventExecutorGroup;
import java.util.concurrent.CompletableFuture;

/** Sends calls to a Redis, or to the nodes of a Cluster: each at most once, and no more of them than a bound. */
public interface RedisExecutor extends PairExecutor {

    /**
     * Sends the call once.
     *
     * @param whenEnded is run once when the command has ended, however long ago its caller gave up, and after the future was told
     */
    <T> CompletableFuture<T> execute(ScriptCall<T> call, Runnable whenEnded);

    @Override
    default <T> CompletableFuture<T> execute(ScriptCall<T> call) {
        return execute(call, () -> {});
    }

    /**
     * The same for a call whose parts may go by themselves: where a Cluster would have to wait until all of its keys are in one
     * place, it fails at once, which {@link Redirect#isToBeDivided} says.
     */
    default <T> CompletableFuture<T> executeDivisible(ScriptCall<T> call, Runnable whenEnded) {
        return execute(call, whenEnded);
    }

    /**
     * Sends a command that is no script and has no key, at most once as well, and however many calls are under way. Numbers in its
     * answer have 8 bytes each.
     */
    CompletableFuture<byte[]> command(String name, byte[]... arguments);

    /**
     * Whether what this thread sends now may overtake what another one has sent before: so it is on the thread that writes to the
     * network, which does so at once, while what others send waits for its turn there.
     */
    boolean mayOvertake();

    /** Whether there is a connection just now, of a Cluster to each master; while there is none, nothing is sent. */
    boolean isConnected();

    /** Threads to tell those who wait on, and to keep time. */
    EventExecutorGroup threads();

    /** How many calls have a command that the client library still holds; for a moment also one that is refused. */
    int callsInFlight();

    /** Whether keys have slots, of which one call may have but one. */
    boolean isCluster();
}
