package io.headgate.redis.queues.internal.job;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Converts durations and instants to microseconds, as scripts use them. Fractions are rounded up, so that no time is too early. */
public final class Times {

    /** The encoded length of a time. */
    public static final int BYTES = 7;

    private Times() {}

    public static long micros(Duration duration) {
        return Math.addExact(
                Math.multiplyExact(duration.getSeconds(), 1_000_000L), (duration.getNano() + 999L) / 1000L);
    }

    public static long micros(Instant instant) {
        return micros(Duration.between(Instant.EPOCH, instant));
    }

    public static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
