package io.headgate.redis.internal.connection;

import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/**
 * The calls in flight of one executor, in the order in which they were sent. All of them have the same timeout, so this
 * is also the order of their deadlines, and a sweep stops at the first call that is not late. A call that is sent again
 * is added again, but its first entry remains until the call has ended, so it times out in time.
 *
 * <p>A call stays here until its command has completed, even if its caller gave up long before. The command can then be
 * cancelled when the connection breaks.
 */
final class Flights {

    private final ConcurrentLinkedQueue<Flight<?>> inFlight = new ConcurrentLinkedQueue<>();
    private final Duration timeout;
    private final Sweeper sweeper;

    private final Runnable whenLate;

    /**
     * Creates an empty set of calls.
     *
     * @param whenLate runs for each call that times out
     */
    Flights(Duration timeout, EventExecutorGroup executors, Runnable whenLate) {
        this.timeout = timeout;
        this.whenLate = whenLate;
        this.sweeper = new Sweeper(Sweeper.intervalFor(timeout), executors, this::sweep, () -> !isEmpty());
    }

    void add(Flight<?> flight) {
        inFlight.add(flight);
        sweeper.run();
    }

    /** Whether no calls are stored. A completed call is stored until a sweep reaches it. */
    boolean isEmpty() {
        return inFlight.isEmpty();
    }

    /** Stops all matching calls after their connection broke. The deadlines of the others remain in force. */
    void stopAll(String problem, Predicate<Flight<?>> isOnConnection) {
        // Calls that are added during this loop fail by themselves, because there is no connection.
        for (Iterator<Flight<?>> all = inFlight.iterator(); all.hasNext(); ) {
            Flight<?> flight = all.next();
            if (isOnConnection.test(flight)) {
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
                // On another thread: callbacks of the caller may be slow and would delay this sweep.
                sweeper.runOnOtherThread(() -> timeOut(flight));
            }
        }
    }

    private void timeOut(Flight<?> flight) {
        whenLate.run();
        flight.fail("no answer within " + timeout.toMillis() + " ms", true, null);
    }
}
