package io.headgate.bench.pictures;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The times at which a picture's requests come: told in seconds since it begins, kept in microseconds since 1970. */
final class Traffic {

    /** Where the pictures in minutes begin: at a window of the clock. */
    static final Instant BEGIN = Instant.parse("2025-01-01T00:00:00Z");

    private final List<Long> timesMicros = new ArrayList<>();

    /** One request every so many seconds, from the first of these times to before the second. */
    Traffic every(double seconds, double from, double until) {
        for (int i = 0; from + i * seconds < until; i++) {
            timesMicros.add(micros(from + i * seconds));
        }
        return this;
    }

    /** So many requests, a second apart. */
    Traffic burst(int requests, double from) {
        return every(1, from, from + requests);
    }

    List<Long> times() {
        return List.copyOf(timesMicros);
    }

    static long micros(double seconds) {
        return BEGIN.getEpochSecond() * 1_000_000 + Math.round(seconds * 1_000_000);
    }
}
