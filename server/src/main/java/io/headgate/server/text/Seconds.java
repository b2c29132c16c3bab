package io.headgate.server.text;

import java.math.BigDecimal;
import java.time.Duration;

/** Durations as HTTP and JSON say them: in seconds. */
public final class Seconds {

    private static final int MICRO_DIGITS = 6;

    private Seconds() {}

    /** Whole seconds, rounded up: a client that waits as long as a header says has waited long enough. */
    public static long roundedUp(Duration duration) {
        return duration.getNano() == 0 ? duration.getSeconds() : duration.getSeconds() + 1;
    }

    /** Decimal seconds, exact to the microsecond, without zeros at the end. */
    public static BigDecimal exact(Duration duration) {
        long micros = Math.addExact(Math.multiplyExact(duration.getSeconds(), 1_000_000L), duration.getNano() / 1000);
        BigDecimal seconds = BigDecimal.valueOf(micros, MICRO_DIGITS).stripTrailingZeros();
        return seconds.scale() < 0 ? seconds.setScale(0) : seconds;
    }
}
