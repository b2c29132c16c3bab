package io.headgate.server.audit.read;

import io.headgate.server.text.DurationReader;
import io.headgate.server.text.Quoted;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an instant, or how long ago it was: {@code 2026-12-24T18:00:00Z}, {@code 15m}. */
final class SinceOption implements ITypeConverter<Instant> {

    private static final DurationReader AGO = DurationReader.upToDays(Duration.ZERO, Duration.ofDays(3660));

    /**
     * Reads an instant.
     *
     * @throws IllegalArgumentException if the text is neither form; the message states what is allowed
     */
    static Instant parse(String given) {
        Optional<Duration> ago = AGO.read(given);
        if (ago.isPresent()) {
            return Instant.now().minus(ago.get());
        }
        try {
            return OffsetDateTime.parse(given).toInstant();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    Quoted.of(given) + " is neither a time from 0ms to 3660d such as 15m, 2h or 3d,"
                            + " nor an instant such as 2030-12-24T18:00:00Z",
                    e);
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
