package io.headgate.testkit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for a condition by polling it, until a deadline. */
public final class Await {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private Await() {}

    /**
     * Returns as soon as the condition holds.
     *
     * @param what the awaited event, as a phrase for the error: {@code "the key to expire"}
     * @param atMost the longest time to wait
     * @param condition checked immediately, then every few milliseconds, and once more at the deadline
     * @throws AssertionError when it does not hold in time
     * @throws IllegalStateException when this thread is interrupted
     */
    public static void until(String what, Duration atMost, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > atMost.toNanos()) {
                throw new AssertionError("waited " + atMost + " in vain for " + what);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted while waiting for " + what);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
