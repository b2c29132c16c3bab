package io.headgate.redis.internal;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Leaves a Redis that says that it has become a replica, where no Cluster says who is the master: the next connection may lead to
 * the new one, as sentinels, or a name, tell by then. What was not done is not sent again. At most once a second, as it may lead
 * to the same one.
 */
final class Leaving implements Elsewhere {

    private static final long LEAST_APART_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong leftNanos = new AtomicLong(System.nanoTime() - LEAST_APART_NANOS);

    @Override
    public boolean takes(Flight<?> flight, Throwable problem, LettuceExecutor from) {
        if (RedisProblems.isOfReplica(problem)) {
            leave(from);
        }
        return false;
    }

    private void leave(LettuceExecutor from) {
        long now = System.nanoTime();
        long last = leftNanos.get();
        if (now - last >= LEAST_APART_NANOS && leftNanos.compareAndSet(last, now)) {
            from.leave();
        }
    }
}
