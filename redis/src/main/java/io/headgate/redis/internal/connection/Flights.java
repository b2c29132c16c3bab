package io.headgate.redis.internal.connection;

import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/**
 * The calls under way of one executor, in the order that they were sent, and with it of their deadlines: all of them
 * have the same time-out. So a sweep looks at the front of the queue only.
 *
 * <p>A call stays here until its command has ended, however long ago its caller gave up, so that the command can be
 * stopped when the connection breaks.
 */
final class Flights {

    private final ConcurrentLinkedQueue<Flight<?>> inFlight = new ConcurrentLinkedQueue<>();
    private final Duration timeout;
    private final Sweeper sweeper;

    private final Runnable whenLate;

    /** @param whenLate is run for each call that is late */
    Flights(Duration timeout, EventExecutorGroup executors, Runnable whenLate) {
        this.timeout = timeout;
        this.whenLate = whenLate;
        this.sweeper = new Sweeper(Sweeper.often(timeout), executors, this::sweep, () -> !isEmpty());
    }

    void add(Flight<?> flight) {
        inFlight.add(flight);
        sweeper.run();
    }

    /** Whether none is kept; one that has ended is kept until the next sweep. */
    boolean isEmpty() {
        return inFlight.isEmpty();
    }

    /** Stops all calls that are on the connection, as it broke; of others the deadlines are still kept. */
    void stopAll(String problem, Predicate<Flight<?>> onIt) {
        // Those that are added meanwhile find no connection.
        for (Iterator<Flight<?>> all = inFlight.iterator(); all.hasNext(); ) {
            Flight<?> flight = all.next();
            if (onIt.test(flight)) {
                all.remove();
                flight.stop(problem, true);
            }
        }
    }

    private void sweep() {
        long nowNanos = System.nanoTime();
        Iterator<Flight<?>> flights = inFlight.iterator();
        while (flights.hasNext()) {
            Flight<?> flight = flights.next();
            if (flight.hasEnded()) {
                flights.remove();
            } else if (!flight.isLateAt(nowNanos)) {
                break;
            } else if (!flight.isDone()) {
                // Not here: what waits for it may take its time, and others wait for this sweep.
                sweeper.tell(() -> timeOut(flight));
            }
        }
    }

    private void timeOut(Flight<?> flight) {
        whenLate.run();
        flight.fail("no answer within " + timeout.toMillis() + " ms", true, null);
    }
}
