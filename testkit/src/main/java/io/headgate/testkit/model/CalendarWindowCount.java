package io.headgate.testkit.model;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Limit;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZonedDateTime;

/**
 * The model of the calendar window: a count, and the time of the last charge. It walks through the calendar day by day to decide
 * whether the last charge was in the current window.
 */
final class CalendarWindowCount extends Count {

    private long count;

    @Override
    RuleResult resultAt(Limit limit, long permits, long atMicros) {
        long counted = counted((CalendarWindow) limit, atMicros);
        long remaining = Math.max(0, limit.permits() - counted);
        long untilEndMicros = nextStart((CalendarWindow) limit, atMicros) - atMicros;
        long retryMicros = permits <= remaining ? RuleResult.NOW : untilEndMicros;
        return new RuleResult(
                remaining,
                permits > limit.permits() ? RuleResult.NEVER : retryMicros,
                counted > 0 ? untilEndMicros : 0);
    }

    @Override
    void add(Limit limit, long permits, long atMicros) {
        count = counted((CalendarWindow) limit, atMicros) + permits;
    }

    @Override
    long refundAt(Limit limit, long permits, long chargedMicros, long resetAtMicros, long atMicros) {
        CalendarWindow window = (CalendarWindow) limit;
        boolean charged = chargedMicros == 0 || nextStart(window, chargedMicros) >= nextStart(window, atMicros);
        long back = charged ? Math.min(permits, counted(window, atMicros)) : 0;
        count -= back;
        return back;
    }

    @Override
    long roomForAttempts(Limit limit, long atMicros) {
        return limit.permits() - counted((CalendarWindow) limit, atMicros);
    }

    private long counted(CalendarWindow limit, long atMicros) {
        return nextStart(limit, lastMicros()) == nextStart(limit, atMicros) ? count : 0;
    }

    /** The start of the first period that starts after an instant. */
    private static long nextStart(CalendarWindow limit, long atMicros) {
        ZonedDateTime at = Instant.ofEpochSecond(atMicros / 1_000_000).atZone(limit.zone());
        // Any earlier day would do: the loop skips starts that have passed.
        LocalDate day = at.toLocalDate().minusDays(2);
        while (!startsOn(limit, day) || start(limit, day) <= atMicros) {
            day = day.plusDays(1);
        }
        return start(limit, day);
    }

    private static boolean startsOn(CalendarWindow limit, LocalDate day) {
        return switch (limit.unit()) {
            case DAY -> true;
            case WEEK -> day.getDayOfWeek().getValue() == 1;
            case MONTH -> day.getDayOfMonth() == 1;
        };
    }

    private static long start(CalendarWindow limit, LocalDate day) {
        return day.atStartOfDay(limit.zone()).toEpochSecond() * 1_000_000;
    }
}
