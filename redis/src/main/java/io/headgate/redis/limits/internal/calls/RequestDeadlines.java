package io.headgate.redis.limits.internal.calls;

import io.headgate.redis.internal.connection.Sweeper;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Fails requests that have no reply in time, for all limiters of an engine. One periodic sweep checks all requests, since a timer for each
 * would cost more than its call. While no request waits, no sweep runs. Safe for use by any number of threads.
 */
public final class RequestDeadlines {

    /** The longest time between two sweeps, as typical budgets are tens of milliseconds. */
    private static final Duration MAX_INTERVAL = Duration.ofMillis(3);

    private final long intervalNanos;
    private final Set<Source> watched = ConcurrentHashMap.newKeySet();
    private final Sweeper sweeper;

    /** Requests that the sweep checks: some or all of one limiter, or all requests to several policies. */
    interface Source {

        /**
         * Fails the requests whose budget is {@linkplain Budget#isExpired used up}. Callbacks of callers must be passed to {@link #run}, so
         * that a slow one does not delay the sweep.
         */
        void expireOverdue(long nowNanos, long nextSweepNanos);

        /** Whether it has no requests. */
        boolean isIdle();
    }

    /** The time that a request may take, as the current versions of its policies set it. */
    public static final class Budget {

        private volatile long nanos;
        private volatile boolean hasFallback;

        /**
         * Sets the budget of all requests from now on. With a fallback, a request ends before its budget is used up, so that the caller has
         * the decision in time; without one, it ends only after that.
         */
        public void set(Duration longest, boolean withFallback) {
            nanos = longest.toNanos();
            hasFallback = withFallback;
        }

        /** Whether a request ends in this sweep. */
        boolean isExpired(AcquireRequest request, long nowNanos, long nextSweepNanos) {
            return hasFallback
                    ? Sweeper.isDue(request.requestedNanos(), nanos, nowNanos, nextSweepNanos)
                    : nowNanos - request.requestedNanos() >= nanos;
        }

        /** Whether a request may end before that timeout. */
        boolean endsBefore(Duration timeout) {
            return hasFallback || nanos < timeout.toNanos();
        }

        /** The reason why an expired request fails, as a phrase. */
        String problem() {
            return "no answer within " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
        }
    }

    /**
     * Creates an instance without requests.
     *
     * @param timeout the longest budget of any request
     */
    public RequestDeadlines(Duration timeout, EventExecutorGroup executors) {
        Duration ofTimeout = Sweeper.intervalFor(timeout);
        Duration interval = ofTimeout.compareTo(MAX_INTERVAL) < 0 ? ofTimeout : MAX_INTERVAL;
        this.intervalNanos = interval.toNanos();
        this.sweeper = new Sweeper(interval, executors, this::sweep, () -> !watched.isEmpty());
    }

    /** Watches these requests until there are none. */
    void watch(Source source) {
        if (!watched.contains(source)) {
            watched.add(source);
            sweeper.run();
        }
    }

    /** Runs callbacks, which may be slow, on another thread than the sweep. */
    void run(Runnable callbacks) {
        sweeper.runOnOtherThread(callbacks);
    }

    private void sweep() {
        long nowNanos = System.nanoTime();
        long nextSweepNanos = nowNanos + intervalNanos;
        watched.forEach(source -> source.expireOverdue(nowNanos, nextSweepNanos));
        List<Source> idle = watched.stream().filter(Source::isIdle).toList();
        idle.forEach(watched::remove);
        // A source that received a request just now may have seen that it was still watched.
        idle.stream().filter(source -> !source.isIdle()).forEach(watched::add);
    }
}
