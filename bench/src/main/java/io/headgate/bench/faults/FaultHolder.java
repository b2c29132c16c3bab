package io.headgate.bench.faults;

import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.PermitRequest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** One of those who take a place in flight again and again, keep it for a moment and give it back. */
final class FaultHolder extends FaultCaller {

    private static final Duration KEPT = Duration.ofMillis(25);
    private static final Duration APART = Duration.ofMillis(5);

    private final InFlightLimiter limiter;
    private final Together together;

    FaultHolder(InFlightLimiter limiter, Together together) {
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
