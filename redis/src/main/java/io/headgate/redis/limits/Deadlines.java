package io.headgate.redis.limits;

import io.headgate.redis.internal.Sweeper;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Ends requests whose time is up, of all limiters of an engine. */
final class Deadlines {

    /** Budgets are mostly tens of milliseconds. */
    private static final Duration LONGEST_LOOK = Duration.ofMillis(3);

    private final long everyNanos;
    private final Set<Waits> watched = ConcurrentHashMap.newKeySet();
    private final Sweeper sweeper;

    Deadlines(Duration timeout, EventExecutorGroup executors) {
        Duration often = Sweeper.often(timeout);
        Duration every = often.compareTo(LONGEST_LOOK) < 0 ? often : LONGEST_LOOK;
        this.everyNanos = every.toNanos();
        this.sweeper = new Sweeper(every, executors, this::sweep, () -> !watched.isEmpty());
    }

    /** Watches over the requests of a limiter, as long as it has any. */
    void watch(Waits waits) {
        if (!watched.contains(waits)) {
            watched.add(waits);
            sweeper.run();
        }
    }

    /** Has something told that may take its time, while others wait for the sweep. */
    void tell(Runnable telling) {
        sweeper.tell(telling);
    }

    private void sweep() {
        long nowNanos = System.nanoTime();
        long nextLookNanos = nowNanos + everyNanos;
        watched.forEach(waits -> waits.endLate(nowNanos, nextLookNanos));
        List<Waits> idle = watched.stream().filter(Waits::isIdle).toList();
        idle.forEach(watched::remove);
        // One that became busy just now may have found itself watched.
        idle.stream().filter(waits -> !waits.isIdle()).forEach(watched::add);
    }
}
