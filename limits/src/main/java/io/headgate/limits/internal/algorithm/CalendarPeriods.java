package io.headgate.limits.internal.algorithm;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.internal.Micros;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/** Computes when the periods of a calendar window start. */
public final class CalendarPeriods {

    /** The number of starts that one call computes: of the previous period, the current one, and the next two. */
    public static final int COUNT = 4;

    private CalendarPeriods() {}

    /**
     * Returns the starts of the periods around an instant, in order, in microseconds since 1970. The instant is between the first and
     * the last. Two starts are equal if the time zone skipped a day.
     */
    public static long[] around(CalendarWindow window, long micros) {
        LocalDate day = LocalDate.ofInstant(Micros.toInstant(micros), window.zone());
        LocalDate first =
                switch (window.unit()) {
                    case DAY -> day;
                    case WEEK -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
                    case MONTH -> day.withDayOfMonth(1);
                };
        ChronoUnit unit =
                switch (window.unit()) {
                    case DAY -> ChronoUnit.DAYS;
                    case WEEK -> ChronoUnit.WEEKS;
                    case MONTH -> ChronoUnit.MONTHS;
                };
        long[] beginnings = new long[COUNT];
        for (int i = 0; i < COUNT; i++) {
            LocalDate begins = first.plus(i - 1, unit);
            long seconds = begins.atStartOfDay(window.zone()).toEpochSecond();
            beginnings[i] = Math.max(0, seconds * 1_000_000);
        }
        return beginnings;
    }

    /** Returns the index of the period that contains an instant; -1 if none does. */
    public static int indexOf(long[] beginnings, long micros) {
        for (int i = 0; i < COUNT - 1; i++) {
            if (beginnings[i] <= micros && micros < beginnings[i + 1]) {
                return i;
            }
        }
        return -1;
    }
}
