package io.headgate.redis.limits;

import io.headgate.redis.internal.Sweeper;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Ends requests whose time is up, of all limiters of an engine. */
final class Deadlines {

    private final Duration timeout;
    private final Set<Coalescer> watched = ConcurrentHashMap.newKeySet();
    private final Sweeper sweeper;

    Deadlines(Duration timeout, EventExecutorGroup executors) {
        this.timeout = timeout;
        this.sweeper = new Sweeper(Sweeper.often(timeout), executors, this::sweep, () -> !watched.isEmpty());
    }

    /** Watches over the requests of a limiter, as long as it has any. */
    void watch(Coalescer coalescer) {
        if (!watched.contains(coalescer)) {
            watched.add(coalescer);
            sweeper.run();
        }
    }

    /** Has something told that may take its time, while others wait for the sweep. */
    void tell(Runnable telling) {
        sweeper.tell(telling);
    }

    private void sweep() {
        long askedBefore = System.nanoTime() - timeout.toNanos();
        String problem = "no answer within " + timeout.toMillis() + " ms";
        watched.forEach(coalescer -> coalescer.endWaitsOf(askedBefore, problem));
        List<Coalescer> idle = watched.stream().filter(Coalescer::isIdle).toList();
        idle.forEach(watched::remove);
        // One that became busy just now may have found itself watched.
        idle.stream().filter(coalescer -> !coalescer.isIdle()).forEach(watched::add);
    }
}
