package io.headgate.limits;

import io.headgate.limits.internal.Bounds;
import java.time.ZoneId;
import java.util.Objects;

/**
 * A limit of {@code permits} in each day, week or month of a time zone. A day starts at its first instant in that zone, which is not
 * always midnight. A day on which the clocks change may have 23 or 25 hours.
 *
 * <p>The calling JVM's time zone data determine when days start; they should be the same in all JVMs that share a key.
 *
 * @param permits 0 to 1 000 000 000; 0 denies everything
 * @param unit the length of a window: a day, a week or a month
 * @param zone the time zone that determines the days, such as {@code ZoneId.of("Europe/Berlin")}
 */
public record CalendarWindow(long permits, Unit unit, ZoneId zone) implements Limit {

    /** A period of the calendar. */
    public enum Unit {
        /** A day. */
        DAY,
        /** Monday to Sunday. */
        WEEK,
        /** The first to the last day of a month. */
        MONTH
    }

    /** Checks the range of the permits. */
    public CalendarWindow {
        Bounds.inRange("permits of a calendar window", permits, 0, Bounds.MAX_PERMITS);
        Objects.requireNonNull(unit, "unit");
        Objects.requireNonNull(zone, "zone");
    }
}
