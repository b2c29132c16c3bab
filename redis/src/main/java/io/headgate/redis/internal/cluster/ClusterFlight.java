package io.headgate.redis.internal.cluster;

import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.connection.Flight;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.ScriptCall;
import io.lettuce.core.protocol.AsyncCommand;
import org.jspecify.annotations.Nullable;

/** A call in flight in a Cluster, with the executor that sent it, and the number of its redirects and pauses. */
final class ClusterFlight<T> extends Flight<T> {

    /** Enough for a slot that migrates twice while the call is in flight. */
    private static final int MAX_HOPS = 5;

    private static final int MAX_PAUSE_MILLIS = 32;

    private final boolean divisible;

    /** The executor that sent the call; null during a redirect or pause, so that no broken connection stops the call then. */
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
    @SuppressWarnings("ReferenceEquality") // there is one executor for each connection
    public boolean isCarriedBy(RedisExecutor executor) {
        return carrier == executor;
    }

    @Override
    public boolean isAsking() {
        return asking;
    }

    /** Whether the caller can split this call into calls with fewer keys. */
    boolean isDivisible() {
        return divisible;
    }

    /**
     * Counts a redirect.
     *
     * @param asks whether the redirect is ASK
     * @return whether the call may be sent to another node; false after too many redirects
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time handles a call
    boolean countHop(boolean asks) {
        carrier = null;
        asking = asks;
        return ++hops <= MAX_HOPS;
    }

    /**
     * Returns the backoff before the next attempt in milliseconds: from 1 to 32, doubled each time. Resets the number
     * of redirects.
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time handles a call
    int pauseMillis() {
        carrier = null;
        asking = false;
        hops = 0;
        return Math.min(MAX_PAUSE_MILLIS, 1 << Math.min(pauses++, 5));
    }
}
