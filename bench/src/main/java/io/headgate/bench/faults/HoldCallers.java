package io.headgate.bench.faults;

import io.headgate.bench.report.Readings.Recorder;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.PermitRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Acquires holds at all instances: many short ones, and one at each instance for the whole trial. */
final class HoldCallers {

    static final String HOLD_EXCEPTIONS = "holdExceptions";

    /** The largest share of the permits that was certainly held at the same time. */
    static final String MOST_HELD = "mostHeld";

    /** The number of long holds that were lost. */
    static final String HOLDS_LOST = "holdsLost";

    /** The largest number of long holds that may be lost. */
    static final String LOST_BOUND = "holdsLostAtMost";

    /** The documented bound of {@link #MOST_HELD}. */
    static final double MOST_HELD_BOUND = 2;

    private static final FaultCaller.Columns COLUMNS =
            new FaultCaller.Columns("holds", "holdsByShare", "holdsSlowestMillis", HOLD_EXCEPTIONS);

    private static final int PERMITS = 8;
    private static final int CALLERS_PER_INSTANCE = 3;

    /** Shorter than any fault, so that a hold expires unless it is renewed. */
    private static final Duration LEASE = Duration.ofSeconds(2);

    private final HoldCaller.HeldPermits heldPermits = new HoldCaller.HeldPermits();
    private final List<HoldCaller> holders = new ArrayList<>();
    private final List<Hold> longHolds = new ArrayList<>();

    /** Creates callers at all instances. */
    HoldCallers(LimitInstances instances) {
        InFlightPolicy ofShortHolds =
                InFlightPolicy.named("short-holds").rule("all", PERMITS).build();
        InFlightPolicy ofLongHolds = InFlightPolicy.named("long-holds")
                .rule("all", LimitInstances.INSTANCES)
                .lease(LEASE)
                .build();
        for (int i = 0; i < LimitInstances.INSTANCES; i++) {
            InFlightLimiter limiter = instances.engine(i).inFlight(ofShortHolds);
            for (int n = 0; n < CALLERS_PER_INSTANCE; n++) {
                holders.add(new HoldCaller(limiter, heldPermits));
            }
            Hold hold = instances.engine(i).inFlight(ofLongHolds).tryAcquire(PermitRequest.global());
            if (hold.denied()) {
                throw new IllegalStateException(
                        "there is a permit for each instance, but one was denied: " + hold.inFlight());
            }
            longHolds.add(hold);
        }
    }

    List<HoldCaller> all() {
        return holders;
    }

    /** Stops all callers after their current requests. */
    void end() {
        holders.forEach(HoldCaller::end);
    }

    /**
     * Records the results after the threads have ended.
     *
     * @param keeps whether no long hold may be lost
     */
    void record(boolean keeps, Recorder into) {
        COLUMNS.record(holders, into);
        into.add(MOST_HELD, (double) heldPermits.most() / PERMITS);
        into.add(HOLDS_LOST, longHolds.stream().filter(Hold::isLost).count());
        into.add(LOST_BOUND, keeps ? 0 : LimitInstances.INSTANCES);
        longHolds.forEach(Hold::close);
    }

    /** Acquires a hold, keeps it for a moment, releases it, and repeats. */
    static final class HoldCaller extends FaultCaller {

        private static final Duration HOLD_TIME = Duration.ofMillis(25);
        private static final Duration INTERVAL = Duration.ofMillis(5);

        private final InFlightLimiter limiter;
        private final HeldPermits heldPermits;

        HoldCaller(InFlightLimiter limiter, HeldPermits heldPermits) {
            super(INTERVAL);
            this.limiter = limiter;
            this.heldPermits = heldPermits;
        }

        /** How many permits all instances certainly hold now, and the largest number at any time. */
        static final class HeldPermits {

            private final AtomicInteger now = new AtomicInteger();
            private final AtomicInteger most = new AtomicInteger();

            private void acquired() {
                most.accumulateAndGet(now.incrementAndGet(), Math::max);
            }

            private void released() {
                now.decrementAndGet();
            }

            int most() {
                return most.get();
            }
        }

        @Override
        void sendRequest() {
            long sent = System.nanoTime();
            try (Hold hold = limiter.tryAcquire(PermitRequest.global())) {
                answered(sent, hold.inFlight().basis());
                if (hold.allowed()) {
                    heldPermits.acquired();
                    LockSupport.parkNanos(HOLD_TIME.toNanos());
                    heldPermits.released();
                }
            }
        }
    }
}
