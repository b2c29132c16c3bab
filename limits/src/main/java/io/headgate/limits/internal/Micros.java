package io.headgate.limits.internal;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** Converts times to and from whole microseconds. An instant is the number of microseconds since 1970. */
public final class Micros {

    private Micros() {}

    public static long of(Duration duration) {
        return Math.addExact(Math.multiplyExact(duration.getSeconds(), 1_000_000L), duration.getNano() / 1000);
    }

    public static Duration toDuration(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    /** The microseconds from 1970 to an instant, rounded down. */
    public static long of(Instant instant) {
        return Math.addExact(
                Math.multiplyExact(instant.getEpochSecond(), 1_000_000L),
                TimeUnit.NANOSECONDS.toMicros(instant.getNano()));
    }

    public static Instant toInstant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000L);
    }
}
