package io.headgate.config.internal.yaml;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses and writes single values: numbers, durations and rates. A number that exceeds a {@code long} becomes the largest or smallest one, and a
 * duration such as {@code 1d} that exceeds a {@code Duration} the largest one, which every range rejects.
 */
public final class Scalars {

    /** The longest text that is matched, because patterns with repeated groups use stack for each repetition. */
    private static final int MAX_LENGTH = 64;

    private static final Pattern NUMBER = Pattern.compile("-?(?:0|[1-9][0-9]*(?:_[0-9]{3})*)");
    private static final Pattern SIMPLE_DURATION = Pattern.compile("(-?[0-9]+)(us|ms|s|m|h|d)");
    private static final Pattern RATE = Pattern.compile("(\\S+) +per +(\\S+)");
    private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE);

    /** The units of durations, the largest first. */
    private static final Map<String, ChronoUnit> UNITS = units();

    private Scalars() {}

    private static Map<String, ChronoUnit> units() {
        Map<String, ChronoUnit> units = new LinkedHashMap<>();
        units.put("d", ChronoUnit.DAYS);
        units.put("h", ChronoUnit.HOURS);
        units.put("m", ChronoUnit.MINUTES);
        units.put("s", ChronoUnit.SECONDS);
        units.put("ms", ChronoUnit.MILLIS);
        units.put("us", ChronoUnit.MICROS);
        return units;
    }

    /** A number of permits per period. */
    public record Rate(long permits, Duration period) {}

    /** Parses a whole number such as {@code 100} or {@code 10_000}. */
    public static Optional<Long> number(String text) {
        if (text.length() > MAX_LENGTH || !NUMBER.matcher(text).matches()) {
            return Optional.empty();
        }
        return Optional.of(toLong(text.replace("_", "")));
    }

    private static long toLong(String digits) {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            return digits.startsWith("-") ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /** Parses a duration such as {@code 250ms}, {@code 1m} or {@code PT1M}. */
    public static Optional<Duration> duration(String text) {
        if (text.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        Matcher simple = SIMPLE_DURATION.matcher(text);
        return simple.matches() ? Optional.of(simpleDuration(simple.group(1), simple.group(2))) : isoDuration(text);
    }

    private static Duration simpleDuration(String number, String unit) {
        try {
            return Duration.of(Long.parseLong(number), UNITS.getOrDefault(unit, ChronoUnit.FOREVER));
        } catch (NumberFormatException | ArithmeticException e) {
            return LONGEST;
        }
    }

    private static Optional<Duration> isoDuration(String text) {
        try {
            return text.toUpperCase(Locale.ROOT).startsWith("P") ? Optional.of(Duration.parse(text)) : Optional.empty();
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Parses a rate such as {@code 1000 per 1s}. */
    public static Optional<Rate> rate(String text) {
        Matcher parts = RATE.matcher(text);
        if (text.length() > MAX_LENGTH || !parts.matches()) {
            return Optional.empty();
        }
        return number(parts.group(1))
                .flatMap(permits -> duration(parts.group(2)).map(period -> new Rate(permits, period)));
    }

    /** Whether a text is a number, a duration or a rate. */
    static boolean isNumeric(String text) {
        return number(text).isPresent()
                || duration(text).isPresent()
                || rate(text).isPresent();
    }

    /** Writes a duration in the largest unit that divides it, such as {@code 90s}. */
    public static String text(Duration duration) {
        for (Map.Entry<String, ChronoUnit> unit : UNITS.entrySet()) {
            Duration length = unit.getValue().getDuration();
            long count = duration.dividedBy(length);
            if (count > 0 && length.multipliedBy(count).equals(duration)) {
                return count + unit.getKey();
            }
        }
        return duration.toString();
    }

    /** Writes a rate such as {@code 1000 per 1s}. */
    public static String text(long permits, Duration period) {
        return permits + " per " + text(period);
    }
}
