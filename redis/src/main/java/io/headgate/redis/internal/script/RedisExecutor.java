package io.headgate.redis.internal.script;

import io.headgate.redis.internal.cluster.Redirect;
import io.netty.util.concurrent.EventExecutorGroup;
import java.util.concurrent.CompletableFuture;

/**
 * Sends calls to a single Redis or to the nodes of a Cluster. Each call is executed at most once, and the number of
 * calls in flight is bounded.
 */
public interface RedisExecutor extends PairExecutor {

    /**
     * Sends the call, as {@link #execute(ScriptCall)} does.
     *
     * @param whenEnded runs once, after the future has completed and Lettuce no longer holds the command; this may be
     *     long after the call timed out
     */
    <T> CompletableFuture<T> execute(ScriptCall<T> call, Runnable whenEnded);

    @Override
    default <T> CompletableFuture<T> execute(ScriptCall<T> call) {
        return execute(call, () -> {});
    }

    /**
     * Sends a call that the caller can split by keys. While a slot of a Cluster migrates, such a call fails immediately,
     * with a failure that {@link Redirect#isTryAgain} recognizes, instead of being retried until all of its keys are on
     * one node.
     */
    default <T> CompletableFuture<T> executeDivisible(ScriptCall<T> call, Runnable whenEnded) {
        return execute(call, whenEnded);
    }

    /**
     * Sends a command without keys at most once, regardless of the bound on calls in flight. Each integer of its reply
     * has 8 bytes.
     */
    CompletableFuture<byte[]> command(String name, byte[]... arguments);

    /**
     * Whether a call of this thread may overtake calls that other threads sent before. This is the case on the
     * connection's event loop, which writes its own calls immediately while those of other threads are still queued.
     */
    boolean mayOvertake();

    /**
     * Whether there is an open connection, in a Cluster to the master of each slot. A call whose connection is not open
     * fails, and nothing is sent.
     */
    boolean isConnected();

    /** Lettuce's computation threads, for callbacks and timers; not the event loops that read and write. */
    EventExecutorGroup threads();

    /** The number of calls whose command Lettuce still holds. It may briefly include a call that is being rejected. */
    int callsInFlight();

    /** Whether this is a Cluster, where all keys of a call must be in the same slot. */
    boolean isCluster();
}
