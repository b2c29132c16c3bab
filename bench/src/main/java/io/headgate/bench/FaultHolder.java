package io.headgate.bench;

import io.headgate.limits.Decision;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightLimiter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** One of those who take a place in flight again and again, keep it for a moment and give it back. */
final class FaultHolder implements Runnable {

    private static final Duration KEPT = Duration.ofMillis(25);
    private static final Duration APART = Duration.ofMillis(5);

    private final InFlightLimiter limiter;
    private final Together together;
    private long answers;
    private long byShare;
    private long slowestNanos;
    private long exceptions;
    private volatile boolean ended;

    FaultHolder(InFlightLimiter limiter, Together together) {
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
    public void run() {
        while (!ended) {
            ask();
            LockSupport.parkNanos(APART.toNanos());
        }
    }

    @SuppressWarnings("CatchingUnchecked") // whatever reaches a caller counts
    private void ask() {
        long asked = System.nanoTime();
        try (Hold hold = limiter.tryAcquire()) {
            slowestNanos = Math.max(slowestNanos, System.nanoTime() - asked);
            answers++;
            byShare += hold.inFlight().basis() == Decision.Basis.LOCAL_SHARE ? 1 : 0;
            if (hold.allowed()) {
                together.enters();
                LockSupport.parkNanos(KEPT.toNanos());
                together.leaves();
            }
        } catch (Throwable e) {
            exceptions++;
        }
    }

    /** Has it end with what it is at. */
    void end() {
        ended = true;
    }

    // What follows is asked when its thread has ended.

    long answers() {
        return answers;
    }

    long byShare() {
        return byShare;
    }

    double slowestMillis() {
        return slowestNanos / 1e6;
    }

    long exceptions() {
        return exceptions;
    }
}
