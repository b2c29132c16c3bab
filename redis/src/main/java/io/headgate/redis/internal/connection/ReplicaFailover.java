package io.headgate.redis.internal.connection;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Closes the connection to a server that has become a replica, so that Lettuce connects again: by then the sentinels or
 * the DNS name may lead to the new master. Failed calls are not sent again. The connection is closed at most once a
 * second, because the next one may lead to the same replica.
 */
public final class ReplicaFailover implements CallRedirector {

    private static final long MIN_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong closedNanos = new AtomicLong(System.nanoTime() - MIN_INTERVAL_NANOS);

    @Override
    public boolean redirect(Flight<?> flight, Throwable problem, Origin from) {
        if (RedisProblems.isReplicaError(problem)) {
            reconnect(from);
        }
        return false;
    }

    private void reconnect(Origin from) {
        long now = System.nanoTime();
        long last = closedNanos.get();
        if (now - last >= MIN_INTERVAL_NANOS && closedNanos.compareAndSet(last, now)) {
            from.reconnect();
        }
    }
}
