package io.headgate.http;

import java.math.BigDecimal;
import java.time.Duration;

/** Converts durations to seconds, for HTTP fields and JSON. */
public final class Seconds {

    private static final int MICRO_DIGITS = 6;

    private Seconds() {}

    /** Returns whole seconds, rounded up, so that a client that waits for the time in a field waits long enough. */
    public static long roundedUp(Duration duration) {
        return duration.getNano() == 0 ? duration.getSeconds() : duration.getSeconds() + 1;
    }

    /** Returns decimal seconds, exact to the microsecond, without trailing zeros. */
    public static BigDecimal exact(Duration duration) {
        long micros = Math.addExact(Math.multiplyExact(duration.getSeconds(), 1_000_000L), duration.getNano() / 1000);
        BigDecimal seconds = BigDecimal.valueOf(micros, MICRO_DIGITS).stripTrailingZeros();
        return seconds.scale() < 0 ? seconds.setScale(0) : seconds;
    }
}
