package io.headgate.server.queues;

import io.headgate.server.text.Quoted;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an instant with its offset from UTC: {@code 2030-12-24T18:00:00Z}, {@code 2030-12-24T18:00:00+01:00}. */
public final class InstantOption implements ITypeConverter<Instant> {

    private static final String EXPECTED =
            "a time with its offset from UTC, such as 2030-12-24T18:00:00Z or 2030-12-24T18:00:00+01:00";

    /**
     * Reads an instant.
     *
     * @throws IllegalArgumentException if the text is not an instant; the message states what is allowed
     */
    public static Instant parse(String given) {
        try {
            return OffsetDateTime.parse(given).toInstant();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(Quoted.of(given) + " is not " + EXPECTED, e);
        }
    }

    @Override
    public Instant convert(String given) {
        try {
            return parse(given);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
