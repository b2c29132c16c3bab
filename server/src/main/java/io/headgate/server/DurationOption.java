package io.headgate.server;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a duration on the command line as one writes it: {@code 250ms}, {@code 5s}, {@code 2m}. */
final class DurationOption implements ITypeConverter<Duration> {

    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m)");
    private static final Map<String, Duration> UNITS =
            Map.of("ms", Duration.ofMillis(1), "s", Duration.ofSeconds(1), "m", Duration.ofMinutes(1));
    private static final Duration MAX = Duration.ofHours(1);

    @Override
    public Duration convert(String given) {
        Matcher form = FORM.matcher(given);
        if (form.matches()) {
            Duration unit = UNITS.get(form.group(2));
            Duration duration = unit == null ? MAX : unit.multipliedBy(Long.parseLong(form.group(1)));
            if (duration.compareTo(MAX) <= 0) {
                return duration;
            }
        }
        throw new TypeConversionException("\"" + given + "\" is not a time from 0ms to 60m such as 250ms, 5s or 2m");
    }
}
