package io.headgate.limits;

import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Where the engine in memory takes its time from. Implementations must be safe for use by several threads. */
@FunctionalInterface
public interface TimeSource {

    /** The time in microseconds since 1970. */
    long nowMicros();

    /**
     * The time of this process: starts at the system's clock and then runs evenly, so a system clock that is set does
     * not move it.
     */
    static TimeSource monotonic() {
        long startMicros =
                ChronoUnit.MICROS.between(Instant.EPOCH, Clock.systemUTC().instant());
        long startNanos = System.nanoTime();
        return () -> startMicros + (System.nanoTime() - startNanos) / 1000;
    }
}
