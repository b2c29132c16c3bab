package io.headgate.redis.internal;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The calls under way of one executor, in the order that they were sent, and with it of their deadlines: all of them
 * have the same time-out. So one sweep over the front of the queue, again and again while there are any, is all the
 * timing that is needed, where a timer for each call would cost more than the call.
 *
 * <p>A call stays here until its command has ended, however long ago its caller gave up, so that the command can be
 * stopped when the connection breaks.
 */
final class Flights {

    private static final long MAX_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MIN_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ConcurrentLinkedQueue<Flight<?>> underWay = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final Duration timeout;
    private final long sweepNanos;
    private final EventExecutorGroup executors;
    private final EventExecutor sweeper;

    Flights(Duration timeout, EventExecutorGroup executors) {
        this.timeout = timeout;
        this.sweepNanos = Math.max(MIN_SWEEP_NANOS, Math.min(MAX_SWEEP_NANOS, timeout.toNanos() / 16));
        this.executors = executors;
        this.sweeper = executors.next();
    }

    void add(Flight<?> flight) {
        underWay.add(flight);
        if (!sweeping.get() && sweeping.compareAndSet(false, true)) {
            sweepLater();
        }
    }

    /** Whether none is kept; one that has ended is kept until the next sweep. */
    boolean isEmpty() {
        return underWay.isEmpty();
    }

    /** Stops all calls, as the connection broke. */
    void stopAll(String problem) {
        for (Flight<?> flight = underWay.poll(); flight != null; flight = underWay.poll()) {
            flight.stop(problem, true, new ConnectionLost());
        }
    }

    private void sweepLater() {
        if (!sweeper.isShuttingDown()) {
            sweeper.schedule(this::sweep, sweepNanos, TimeUnit.NANOSECONDS);
        }
    }

    private void sweep() {
        long nowNanos = System.nanoTime();
        Iterator<Flight<?>> flights = underWay.iterator();
        while (flights.hasNext()) {
            Flight<?> flight = flights.next();
            if (flight.hasEnded()) {
                flights.remove();
            } else if (!flight.isLateAt(nowNanos)) {
                break;
            } else if (!flight.isDone()) {
                // Not here: what waits for it may take its time, and others wait for this sweep.
                executors.next().execute(() -> timeOut(flight));
            }
        }
        sweeping.set(false);
        if (!isEmpty() && sweeping.compareAndSet(false, true)) {
            sweepLater();
        }
    }

    private void timeOut(Flight<?> flight) {
        flight.fail("no answer within " + timeout.toMillis() + " ms", true, null);
    }
}
