package io.headgate.server.text;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Formats instants for JSON: in UTC, to the microsecond. */
public final class Instants {

    private static final DateTimeFormatter FORM = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSSSSSX", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private Instants() {}

    /** For example {@code 2026-11-21T05:47:55.072721Z}. */
    public static String of(Instant instant) {
        return FORM.format(instant);
    }
}
