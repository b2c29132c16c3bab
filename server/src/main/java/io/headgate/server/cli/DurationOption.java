package io.headgate.server.cli;

import io.headgate.server.text.DurationReader;
import io.headgate.server.text.Quoted;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a duration on the command line, for example {@code 250ms}, {@code 5s}, {@code 2m}. */
public class DurationOption implements ITypeConverter<Duration> {

    private final DurationReader reader;
    private final String expected;

    /** Reads a duration from 0 to an hour. */
    DurationOption() {
        this(
                DurationReader.upToMinutes(Duration.ZERO, Duration.ofHours(1)),
                "a time from 0ms to 60m such as 250ms, 5s or 2m");
    }

    private DurationOption(DurationReader reader, String expected) {
        this.reader = reader;
        this.expected = expected;
    }

    /** The timeout of a Redis call. It is less than the timeout of an HTTP request, so that the request still gets a response. */
    public static final class OfRedisTimeout extends DurationOption {
        OfRedisTimeout() {
            super(
                    DurationReader.upToMinutes(Duration.ofMillis(1), Duration.ofSeconds(4)),
                    "a time from 1ms to 4s such as 250ms");
        }
    }

    /** The delay of a job. */
    public static final class OfDelay extends DurationOption {
        OfDelay() {
            super(
                    DurationReader.upToDays(Duration.ZERO, Duration.ofDays(3660)),
                    "a time from 0ms to 3660d such as 30s, 5m, 2h or 3d");
        }
    }

    /** The duration of a ban. */
    public static final class OfBan extends DurationOption {
        OfBan() {
            super(
                    DurationReader.upToDays(Duration.ofSeconds(1), Duration.ofDays(3660)),
                    "a time from 1s to 3660d such as 15m, 2h or 3d");
        }
    }

    @Override
    public Duration convert(String given) {
        return reader.read(given)
                .orElseThrow(() -> new TypeConversionException(Quoted.of(given) + " is not " + expected));
    }
}
