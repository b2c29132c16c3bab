package io.headgate.redis.limits;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends requests whose time is up, of all limiters of an engine. While there are any, one sweep goes over them again and again,
 * where a timer for each would cost more than the request.
 */
final class Deadlines {

    private static final long MAX_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MIN_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Duration timeout;
    private final long sweepNanos;
    private final EventExecutorGroup executors;
    private final EventExecutor sweeper;
    private final Set<Coalescer> watched = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean sweeping = new AtomicBoolean();

    Deadlines(Duration timeout, EventExecutorGroup executors) {
        this.timeout = timeout;
        this.sweepNanos = Math.max(MIN_SWEEP_NANOS, Math.min(MAX_SWEEP_NANOS, timeout.toNanos() / 16));
        this.executors = executors;
        this.sweeper = executors.next();
    }

    /** Watches over the requests of a limiter, as long as it has any. */
    void watch(Coalescer coalescer) {
        if (!watched.contains(coalescer)) {
            watched.add(coalescer);
            sweepLater();
        }
    }

    /** Has something told that may take its time, while others wait for the sweep. */
    void tell(Runnable telling) {
        executors.next().execute(telling);
    }

    private void sweepLater() {
        if (!sweeper.isShuttingDown() && sweeping.compareAndSet(false, true)) {
            sweeper.schedule(this::sweep, sweepNanos, TimeUnit.NANOSECONDS);
        }
    }

    private void sweep() {
        long askedBefore = System.nanoTime() - timeout.toNanos();
        String problem = "no answer within " + timeout.toMillis() + " ms";
        watched.forEach(coalescer -> coalescer.endWaitsOf(askedBefore, problem));
        List<Coalescer> idle = watched.stream().filter(Coalescer::isIdle).toList();
        idle.forEach(watched::remove);
        // One that became busy just now may have found itself watched.
        idle.stream().filter(coalescer -> !coalescer.isIdle()).forEach(watched::add);
        sweeping.set(false);
        if (!watched.isEmpty()) {
            sweepLater();
        }
    }
}
