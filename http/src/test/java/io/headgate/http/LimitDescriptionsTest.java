package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.CalendarWindow.Unit;
import io.headgate.limits.Limit;
import io.headgate.limits.Rule;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class LimitDescriptionsTest {

    @Test
    void each_kind_of_limit_is_described_in_plain_english() {
        assertThat(describe(Limit.slidingWindow(100, Duration.ofMinutes(1)), "user"))
                .isEqualTo("100 permits in any minute, by user");
        assertThat(describe(Limit.slidingCounter(500, Duration.ofHours(1)), "ip"))
                .isEqualTo("about 500 permits in any hour, by ip");
        assertThat(describe(Limit.fixedWindow(1, Duration.ofDays(2)), "user", "ip"))
                .isEqualTo("1 permit in each 2 days of the clock, by user and ip");
        assertThat(describe(Limit.fixedWindow(7, Duration.ofSeconds(90)).fromFirstRequest(), "a", "b", "c"))
                .isEqualTo("7 permits in each 90 seconds from the first request, by a, b and c");
        assertThat(describe(Limit.tokenBucket(20, 5, Duration.ofSeconds(1))))
                .isEqualTo("bursts of 20 permits, refilled by 5 each second, in total");
        assertThat(describe(Limit.slidingWindow(0, Duration.ofSeconds(1)))).isEqualTo("nothing, in total");
        assertThat(describe(Limit.leakyBucket(20, 5, Duration.ofSeconds(1))))
                .isEqualTo("bursts of 20 permits, leaking out by 5 each second, in total");
        assertThat(describe(Limit.leakyBucket(20, 5, Duration.ofSeconds(1)).shaper()))
                .isEqualTo("5 permits each second, evenly spaced, from a queue of 20, in total");
        assertThat(describe(Limit.calendarWindow(5, Unit.WEEK, ZoneId.of("Europe/Berlin")), "user"))
                .isEqualTo("5 permits in each week of Europe/Berlin, by user");
    }

    @Test
    void a_zone_without_a_name_is_shown_by_its_offset_from_utc() {
        assertThat(describe(Limit.calendarWindow(1, Unit.DAY, ZoneOffset.ofHours(2))))
                .isEqualTo("1 permit in each day of UTC+02:00, in total");
        assertThat(describe(Limit.calendarWindow(1, Unit.MONTH, ZoneOffset.UTC)))
                .isEqualTo("1 permit in each month of UTC, in total");
    }

    @Test
    void counted_attempts_and_shadow_mode_are_described() {
        Rule rule = Rule.of("r", Limit.tokenBucket(2, 1, Duration.ofSeconds(1)));
        String text = "bursts of 2 permits, refilled by 1 each second, in total";
        assertThat(LimitDescriptions.of(rule.countingAttempts())).isEqualTo(text + "; denied requests count too");
        assertThat(LimitDescriptions.of(rule.inShadow())).isEqualTo(text + "; shadow mode, denies nothing");
    }

    @Test
    void a_duration_is_shown_in_the_largest_unit_that_divides_it() {
        assertThat(LimitDescriptions.of(Duration.ofHours(24))).isEqualTo("1 day");
        assertThat(LimitDescriptions.of(Duration.ofMillis(1500))).isEqualTo("1500 milliseconds");
        assertThat(LimitDescriptions.of(Duration.ofNanos(1_001_000))).isEqualTo("1001 microseconds");
    }

    private static String describe(Limit limit, String... dimensions) {
        return LimitDescriptions.of(Rule.of("r", limit, dimensions));
    }
}
