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

/** Those of all instances who hold places in flight: many for a moment, and one of each instance from the beginning to the end. */
final class HoldCallers {

    static final String HOLD_EXCEPTIONS = "holdExceptions";

    /** The most that surely were held at once, of what the rule has. */
    static final String MOST_HELD = "mostHeld";

    /** How many of those that were held all the time were lost, and not given back. */
    static final String HOLDS_LOST = "holdsLost";

    /** How many of them that may be. */
    static final String LOST_BOUND = "holdsLostAtMost";

    /** What {@link #MOST_HELD} is documented to be less than. */
    static final double MOST_HELD_BOUND = 2;

    private static final FaultCaller.Columns COLUMNS =
            new FaultCaller.Columns("holds", "holdsByShare", "holdsSlowestMillis", HOLD_EXCEPTIONS);

    private static final int PLACES = 8;
    private static final int OF_EACH_INSTANCE = 3;

    /** Shorter than any trouble, so that it ends meanwhile unless it is renewed. */
    private static final Duration LEASE = Duration.ofSeconds(2);

    private final HoldCaller.Together together = new HoldCaller.Together();
    private final List<HoldCaller> holders = new ArrayList<>();
    private final List<Hold> held = new ArrayList<>();

    /** Of all instances of a site. */
    HoldCallers(FaultSite site) {
        InFlightPolicy moments =
                InFlightPolicy.named("moments").rule("places", PLACES).build();
        InFlightPolicy stays = InFlightPolicy.named("stays")
                .rule("places", FaultSite.INSTANCES)
                .lease(LEASE)
                .build();
        for (int i = 0; i < FaultSite.INSTANCES; i++) {
            InFlightLimiter limiter = site.engine(i).inFlight(moments);
            for (int n = 0; n < OF_EACH_INSTANCE; n++) {
                holders.add(new HoldCaller(limiter, together));
            }
            Hold hold = site.engine(i).inFlight(stays).tryAcquire(PermitRequest.global());
            if (hold.denied()) {
                throw new IllegalStateException("there is a place for each, and one had none: " + hold.inFlight());
            }
            held.add(hold);
        }
    }

    List<HoldCaller> all() {
        return holders;
    }

    /** Has all end with what they are at. */
    void end() {
        holders.forEach(HoldCaller::end);
    }

    /**
     * What came of it, when their threads have ended.
     *
     * @param keeps whether Redis keeps what it is told
     */
    void record(boolean keeps, Recorder into) {
        COLUMNS.record(holders, into);
        into.add(MOST_HELD, (double) together.most() / PLACES);
        into.add(HOLDS_LOST, held.stream().filter(Hold::isLost).count());
        into.add(LOST_BOUND, keeps ? 0 : FaultSite.INSTANCES);
        held.forEach(Hold::close);
    }

    /** One of those who take a place in flight again and again, keep it for a moment and give it back. */
    static final class HoldCaller extends FaultCaller {

        private static final Duration KEPT = Duration.ofMillis(25);
        private static final Duration APART = Duration.ofMillis(5);

        private final InFlightLimiter limiter;
        private final Together together;

        HoldCaller(InFlightLimiter limiter, Together together) {
            super(APART);
            this.limiter = limiter;
            this.together = together;
        }

        /** How many surely hold a place now, of all instances, and how many ever did at once. */
        static final class Together {

            private final AtomicInteger now = new AtomicInteger();
            private final AtomicInteger most = new AtomicInteger();

            private void enters() {
                most.accumulateAndGet(now.incrementAndGet(), Math::max);
            }

            private void leaves() {
                now.decrementAndGet();
            }

            int most() {
                return most.get();
            }
        }

        @Override
        void ask() {
            long asked = System.nanoTime();
            try (Hold hold = limiter.tryAcquire(PermitRequest.global())) {
                answered(asked, hold.inFlight().basis());
                if (hold.allowed()) {
                    together.enters();
                    LockSupport.parkNanos(KEPT.toNanos());
                    together.leaves();
                }
            }
        }
    }
}
