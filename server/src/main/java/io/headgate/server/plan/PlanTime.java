package io.headgate.server.plan;

import io.headgate.server.text.Quoted;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a duration on the command line, from microseconds to days: {@code 200us}, {@code 50ms}, {@code 10m}, {@code 3d}. */
final class PlanTime implements ITypeConverter<Duration> {

    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(us|ms|s|m|h|d)");
    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "us", ChronoUnit.MICROS,
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS,
            "d", ChronoUnit.DAYS);

    @Override
    public Duration convert(String given) {
        Matcher form = FORM.matcher(given);
        if (!form.matches()) {
            throw new TypeConversionException(
                    Quoted.of(given) + " is not a time such as 200us, 50ms, 10s, 5m, 2h or 3d");
        }
        return Duration.of(Long.parseLong(form.group(1)), Objects.requireNonNull(UNITS.get(form.group(2))));
    }

    /** The duration as text, in the largest unit of which it is a whole number. */
    static String words(Duration time) {
        for (String unit : new String[] {"d", "h", "m", "s", "ms"}) {
            Duration one = Objects.requireNonNull(UNITS.get(unit)).getDuration();
            if (!time.isZero() && time.toNanos() % one.toNanos() == 0) {
                return time.toNanos() / one.toNanos() + unit;
            }
        }
        return time.toNanos() / 1000 + "us";
    }
}
