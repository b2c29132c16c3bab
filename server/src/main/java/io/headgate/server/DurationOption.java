package io.headgate.server;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a duration on the command line as one writes it: {@code 250ms}, {@code 5s}, {@code 2m}. */
class DurationOption implements ITypeConverter<Duration> {

    private static final Pattern SHORT = Pattern.compile("(\\d{1,9})(ms|s|m)");
    private static final Pattern LONG = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
    private static final Map<String, Duration> UNITS = Map.of(
            "ms",
            Duration.ofMillis(1),
            "s",
            Duration.ofSeconds(1),
            "m",
            Duration.ofMinutes(1),
            "h",
            Duration.ofHours(1),
            "d",
            Duration.ofDays(1));

    private final Pattern form;
    private final Duration min;
    private final Duration max;
    private final String expected;

    /** From nothing to an hour. */
    DurationOption() {
        this(SHORT, Duration.ZERO, Duration.ofHours(1), "a time from 0ms to 60m such as 250ms, 5s or 2m");
    }

    private DurationOption(Pattern form, Duration min, Duration max, String expected) {
        this.form = form;
        this.min = min;
        this.max = max;
        this.expected = expected;
    }

    /** How long an answer of Redis may take: less than a request may, so that it is answered all the same. */
    static final class OfRedis extends DurationOption {
        OfRedis() {
            super(SHORT, Duration.ofMillis(1), Duration.ofSeconds(4), "a time from 1ms to 4s such as 250ms");
        }
    }

    /** How long a job waits until it is due. */
    static final class OfDelay extends DurationOption {
        OfDelay() {
            super(LONG, Duration.ZERO, Duration.ofDays(3660), "a time from 0ms to 3660d such as 30s, 5m, 2h or 3d");
        }
    }

    /** How long a check may be held back: so little that it never delays an orderly stop. */
    static final class OfHold extends DurationOption {
        static final String EXPECTED = "a time from 0ms to 4s such as 500ms";

        OfHold() {
            super(SHORT, Duration.ZERO, Hold.LONGEST, EXPECTED);
        }
    }

    @Override
    public Duration convert(String given) {
        Matcher parts = form.matcher(given);
        if (parts.matches()) {
            Duration unit = Objects.requireNonNull(UNITS.get(parts.group(2)));
            Duration duration = unit.multipliedBy(Long.parseLong(parts.group(1)));
            if (duration.compareTo(min) >= 0 && duration.compareTo(max) <= 0) {
                return duration;
            }
        }
        throw new TypeConversionException(Quoted.of(given) + " is not " + expected);
    }
}
