package io.headgate.redis.internal.cluster;

import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.connection.Flight;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.ScriptCall;
import io.lettuce.core.protocol.AsyncCommand;
import org.jspecify.annotations.Nullable;

/** A call on its way through a Cluster: which node has it, and how often it was sent on. */
final class ClusterFlight<T> extends Flight<T> {

    /** A slot moves once, and then may be on its way to a third node. */
    private static final int MOST_HOPS = 5;

    private static final int LONGEST_PAUSE_MILLIS = 32;

    private final boolean divisible;
    private volatile @Nullable RedisExecutor carrier;
    private volatile boolean asking;
    private volatile int hops;
    private volatile int pauses;

    ClusterFlight(ScriptCall<T> call, Failures failures, long deadlineNanos, Runnable whenEnded, boolean divisible) {
        super(call, failures, deadlineNanos, whenEnded);
        this.divisible = divisible;
    }

    @Override
    public void carriedBy(AsyncCommand<byte[], byte[], byte[]> sent, RedisExecutor by) {
        carrier = by;
        super.carriedBy(sent, by);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // there is one for each connection
    public boolean isCarriedBy(RedisExecutor executor) {
        return carrier == executor;
    }

    @Override
    public boolean isAsking() {
        return asking;
    }

    /** Whether its parts may go by themselves. */
    boolean isDivisible() {
        return divisible;
    }

    /** No node has it now; whether it may be sent to another one. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one at a time has it
    boolean mayGoOn(boolean asks) {
        carrier = null;
        asking = asks;
        return ++hops <= MOST_HOPS;
    }

    /** No node has it now; how long it waits until it is sent again, in milliseconds. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one at a time has it
    int pauseMillis() {
        carrier = null;
        asking = false;
        hops = 0;
        return Math.min(LONGEST_PAUSE_MILLIS, 1 << Math.min(pauses++, 5));
    }
}
