package io.headgate.limits;

import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The clock of the engine in memory. Implementations must be safe for use by several threads. */
@FunctionalInterface
public interface TimeSource {

    /** Returns the current time, in microseconds since 1970. */
    long nowMicros();

    /**
     * Returns a monotonic clock: it starts at the time of the system clock and then runs evenly, so later changes of the system clock
     * do not affect it.
     */
    static TimeSource monotonic() {
        long startMicros =
                ChronoUnit.MICROS.between(Instant.EPOCH, Clock.systemUTC().instant());
        long startNanos = System.nanoTime();
        return () -> startMicros + (System.nanoTime() - startNanos) / 1000;
    }
}
