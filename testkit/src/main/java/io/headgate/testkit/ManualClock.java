package io.headgate.testkit;

import io.headgate.limits.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that stands still until a test moves it.
 *
 * <pre>{@code
 * ManualClock clock = ManualClock.at(Instant.parse("2025-01-01T00:00:00Z"));
 * clock.advance(Duration.ofSeconds(30));
 * }</pre>
 *
 * <p>Safe for use by several threads.
 */
public final class ManualClock implements TimeSource {

    private final AtomicLong micros;

    private ManualClock(long micros) {
        this.micros = new AtomicLong(micros);
    }

    /** A clock that shows this instant, truncated to microseconds. */
    public static ManualClock at(Instant instant) {
        return new ManualClock(ChronoUnit.MICROS.between(Instant.EPOCH, instant));
    }

    /** A clock that shows this time, in microseconds since 1970. */
    public static ManualClock atMicros(long micros) {
        return new ManualClock(micros);
    }

    @Override
    public long nowMicros() {
        return micros.get();
    }

    /**
     * Moves the clock forward.
     *
     * @param by zero or more, in whole microseconds
     * @throws IllegalArgumentException when it is negative or not a whole number of microseconds
     */
    public void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException(
                    "the clock advances by zero or more, was " + by + "; to set it back use setMicros");
        }
        if (by.getNano() % 1000 != 0) {
            throw new IllegalArgumentException("the clock moves in whole microseconds, was " + by);
        }
        long byMicros = Math.addExact(Math.multiplyExact(by.getSeconds(), 1_000_000L), by.getNano() / 1000);
        micros.updateAndGet(now -> Math.addExact(now, byMicros));
    }

    /** Sets the clock to any time, even an earlier one, in microseconds since 1970. */
    public void setMicros(long micros) {
        this.micros.set(micros);
    }

    @Override
    public String toString() {
        return "ManualClock at " + nowMicros() + " micros";
    }
}
