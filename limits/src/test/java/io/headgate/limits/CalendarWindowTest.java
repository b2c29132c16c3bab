package io.headgate.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.CalendarWindow.Unit;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Days, weeks and months start and end by the calendar of the time zone. */
class CalendarWindowTest {

    private final AtomicLong clock = new AtomicLong();

    /** Checks the first instant of a period, its middle, its last instant, and the start of the next period. */
    @ParameterizedTest(name = "{0} of {1} from {2} lasts {3} h")
    @CsvSource({
        "DAY, Europe/Berlin, 2026-03-28T00:00, 24",
        "DAY, Europe/Berlin, 2026-03-29T00:00, 23",
        "DAY, Europe/Berlin, 2026-10-24T00:00, 24",
        "DAY, Europe/Berlin, 2026-10-25T00:00, 25",
        "DAY, Europe/Berlin, 2027-03-28T00:00, 23",
        "DAY, Europe/Berlin, 2027-10-31T00:00, 25",
        // Clocks go from midnight to one o'clock, so this day starts at one; in autumn, midnight occurs twice.
        "DAY, America/Havana, 2026-03-08T01:00, 23",
        "DAY, America/Havana, 2026-03-07T00:00, 24",
        "DAY, America/Havana, 2026-11-01T00:00, 25",
        // There was no 30th of December.
        "DAY, Pacific/Apia, 2011-12-29T00:00, 24",
        "DAY, Pacific/Apia, 2011-12-31T00:00, 24",
        "WEEK, Pacific/Apia, 2011-12-26T00:00, 144",
        "MONTH, Pacific/Apia, 2011-12-01T00:00, 720",
        "WEEK, Europe/Berlin, 2026-03-23T00:00, 167",
        "WEEK, Europe/Berlin, 2026-10-19T00:00, 169",
        "WEEK, Europe/Berlin, 2026-12-28T00:00, 168",
        "MONTH, Europe/Berlin, 2026-03-01T00:00, 743",
        "MONTH, Europe/Berlin, 2026-10-01T00:00, 745",
        "MONTH, Europe/Berlin, 2027-02-01T00:00, 672",
        "MONTH, Europe/Berlin, 2028-02-01T00:00, 696",
    })
    void a_period_lasts_until_the_start_of_the_next_one(Unit unit, ZoneId zone, LocalDateTime begins, long hours) {
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(clock::get).build()) {
            Limiter limiter = limits.limiter("p", Limit.calendarWindow(3, unit, zone));
            Instant first = begins.atZone(zone).toInstant();
            Duration length = Duration.ofHours(hours);

            // Permits of the previous period do not count.
            assertThat(acquireAt(limiter, first.minus(1, ChronoUnit.MICROS), 3).resetAfter())
                    .isEqualTo(Duration.ofNanos(1000));
            Decision decision = acquireAt(limiter, first, 2);
            assertThat(decision.remaining()).isEqualTo(1);
            assertThat(decision.resetAfter()).isEqualTo(length);
            assertThat(acquireAt(limiter, first.plus(length.dividedBy(2)), 2).retryAfter())
                    .contains(length.dividedBy(2));
            assertThat(acquireAt(limiter, first.plus(length).minus(1, ChronoUnit.MICROS), 2)
                            .retryAfter())
                    .contains(Duration.ofNanos(1000));
            assertThat(acquireAt(limiter, first.plus(length), 3).allowed()).isTrue();
        }
    }

    /** When the clocks go back, the hour between two and three occurs twice on the same day. */
    @Test
    void an_hour_that_occurs_twice_belongs_to_one_day() {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(clock::get).build()) {
            Limiter limiter = limits.limiter("p", Limit.calendarWindow(2, Unit.DAY, berlin));
            assertThat(acquireAt(limiter, Instant.parse("2026-10-25T00:30:00Z"), 1)
                            .remaining())
                    .isEqualTo(1);
            assertThat(acquireAt(limiter, Instant.parse("2026-10-25T01:30:00Z"), 1)
                            .remaining())
                    .isZero();
            Decision denied = acquireAt(limiter, Instant.parse("2026-10-25T22:30:00Z"), 1);
            assertThat(denied.retryAfter()).contains(Duration.ofMinutes(30));
        }
    }

    @Test
    void a_limit_with_another_zone_continues_from_the_count_of_its_own_day() {
        try (InMemoryLimitEngine limits =
                InMemoryLimitEngine.builder().time(clock::get).build()) {
            Limiter utc = limits.limiter("p", Limit.calendarWindow(5, Unit.DAY, ZoneId.of("UTC")));
            Limiter tokyo = limits.limiter("p", Limit.calendarWindow(5, Unit.DAY, ZoneId.of("Asia/Tokyo")));
            acquireAt(utc, Instant.parse("2026-11-21T14:59:00Z"), 2);
            assertThat(acquireAt(tokyo, Instant.parse("2026-11-21T14:59:30Z"), 1)
                            .remaining())
                    .isEqualTo(2);
            // This is midnight in Tokyo.
            assertThat(acquireAt(tokyo, Instant.parse("2026-11-21T15:00:00Z"), 1)
                            .remaining())
                    .isEqualTo(4);
        }
    }

    private Decision acquireAt(Limiter limiter, Instant at, long permits) {
        clock.set(ChronoUnit.MICROS.between(Instant.EPOCH, at));
        return limiter.tryAcquire(PermitRequest.of("a").withPermits(permits));
    }
}
