package io.headgate.server.text;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads durations such as {@code 250ms}, {@code 5s} or {@code 2m}, from a minimum to a maximum, both included. */
public final class DurationReader {

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

    private DurationReader(Pattern form, Duration min, Duration max) {
        this.form = form;
        this.min = min;
        this.max = max;
    }

    /** Reads durations in milliseconds, seconds or minutes. */
    public static DurationReader upToMinutes(Duration min, Duration max) {
        return new DurationReader(SHORT, min, max);
    }

    /** Reads durations in milliseconds, seconds, minutes, hours or days. */
    public static DurationReader upToDays(Duration min, Duration max) {
        return new DurationReader(LONG, min, max);
    }

    /** The duration, if the text is one within the range. */
    public Optional<Duration> read(String given) {
        Matcher parts = form.matcher(given);
        if (!parts.matches()) {
            return Optional.empty();
        }
        Duration unit = Objects.requireNonNull(UNITS.get(parts.group(2)));
        Duration duration = unit.multipliedBy(Long.parseLong(parts.group(1)));
        return Optional.of(duration).filter(it -> it.compareTo(min) >= 0 && it.compareTo(max) <= 0);
    }
}
