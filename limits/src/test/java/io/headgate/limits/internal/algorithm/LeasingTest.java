package io.headgate.limits.internal.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import java.time.Duration;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

/** Tests the stricter limits of leases, the default lease, and which limits can be leased for how long. */
class LeasingTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void sliding_windows_are_longer_by_the_lease() {
        assertThat(Leasing.strict(Limit.slidingWindow(5, MINUTE), SECOND))
                .isEqualTo(Limit.slidingWindow(5, MINUTE.plus(SECOND)));
        assertThat(Leasing.strict(Limit.slidingCounter(5, MINUTE), SECOND))
                .isEqualTo(Limit.slidingCounter(5, MINUTE.plus(SECOND)));
    }

    @Test
    void buckets_are_smaller_by_the_refill_during_the_lease_rounded_up() {
        assertThat(Leasing.strict(Limit.tokenBucket(20, 3, SECOND), SECOND.dividedBy(2)))
                .isEqualTo(Limit.tokenBucket(18, 3, SECOND));
        assertThat(Leasing.strict(Limit.leakyBucket(20, 3, SECOND), SECOND))
                .isEqualTo(Limit.leakyBucket(17, 3, SECOND));
    }

    @Test
    void fixed_and_calendar_windows_are_unchanged() {
        Limit day = Limit.calendarWindow(5, CalendarWindow.Unit.DAY, ZoneId.of("Europe/Berlin"));
        assertThat(Leasing.strict(day, SECOND)).isEqualTo(day);
        Limit minute = Limit.fixedWindow(5, MINUTE);
        assertThat(Leasing.strict(minute, SECOND)).isEqualTo(minute);
    }

    @Test
    void a_lease_is_a_fiftieth_of_the_shortest_window_or_a_tenth_of_the_shortest_refill_by_default() {
        assertThat(defaultLease(Limit.slidingWindow(100, MINUTE))).isEqualTo(Duration.ofMillis(1200));
        assertThat(defaultLease(Limit.slidingWindow(100, Duration.ofDays(1)))).isEqualTo(Duration.ofSeconds(5));
        assertThat(defaultLease(Limit.slidingWindow(100, Duration.ofMillis(100))))
                .isEqualTo(Duration.ofMillis(10));
        assertThat(defaultLease(Limit.tokenBucket(100, 50, SECOND))).isEqualTo(Duration.ofMillis(200));
        assertThat(Policy.named("two")
                        .rule("a", Limit.tokenBucket(100, 50, SECOND))
                        .rule("b", Limit.slidingWindow(100, Duration.ofSeconds(5)))
                        .leased()
                        .build()
                        .lease())
                .contains(Duration.ofMillis(100));
    }

    private static Duration defaultLease(Limit limit) {
        return Policy.named("any").rule("limit", limit).leased().build().lease().orElseThrow();
    }

    @Test
    void an_error_names_the_rule_that_can_not_be_leased() {
        assertThatThrownBy(() ->
                        leased(Rule.of("hard", Limit.slidingWindow(5, MINUTE)).countingAttempts(), SECOND))
                .hasMessageContaining("lease of policy any: rule hard counts attempts");
        assertThatThrownBy(() ->
                        leased(Rule.of("even", Limit.leakyBucket(5, 1, SECOND).shaper()), SECOND))
                .hasMessageContaining("rule even is a leaky bucket that shapes");
        assertThatThrownBy(() -> leased(Rule.of("short", Limit.slidingWindow(5, Duration.ofMillis(500))), SECOND))
                .hasMessageContaining("must be at most PT0.5S because of rule short")
                .hasMessageContaining("was PT1S");
        assertThatThrownBy(() -> leased(
                        Rule.of(
                                "year",
                                Limit.slidingWindow(5, Duration.ofDays(366).minusSeconds(30))),
                        MINUTE))
                .hasMessageContaining("must be at most PT30S because of rule year")
                .hasMessageEndingWith("a sliding window and its lease together are at most 366 days, was PT1M");
        assertThatThrownBy(() -> leased(Rule.of("burst", Limit.tokenBucket(100, 100, SECOND)), SECOND))
                .hasMessageContaining("must be at most PT0.499999S because of rule burst");
        assertThatThrownBy(() -> leased(Rule.of("one", Limit.tokenBucket(1, 1, MINUTE)), SECOND))
                .hasMessageContaining("rule one (")
                .hasMessageContaining("which here is PT0S");
        assertThatThrownBy(() -> leased(Rule.of("fast", Limit.tokenBucket(10, 1000, SECOND)), Duration.ofMillis(10)))
                .hasMessageContaining("rule fast (")
                .hasMessageContaining("can't be leased: a lease is at least 10 ms")
                .hasMessageContaining("which here is PT0.004999S");
        assertThatThrownBy(() -> defaultLease(Limit.tokenBucket(10, 1000, SECOND)))
                .hasMessageContaining("can't be leased");
        for (Duration odd :
                new Duration[] {Duration.ofMillis(9), Duration.ofSeconds(61), Duration.ofNanos(20_000_001)}) {
            assertThatThrownBy(() -> leased(Rule.of("any", Limit.slidingWindow(5, Duration.ofHours(1))), odd))
                    .hasMessageContaining("must be from 10 ms to 1 minute, in whole milliseconds, was " + odd);
        }
    }

    @Test
    void a_leased_bucket_has_at_least_half_of_its_capacity() {
        for (long capacity = 2; capacity < 200; capacity++) {
            for (long rate : new long[] {1, 7, 60, 1000}) {
                // The longest allowed lease.
                long millis = Math.min(60_000, (capacity / 2 * 1_000_000 / rate - 1) / 1000);
                if (millis >= 10) {
                    Limit strict = Leasing.strict(Limit.tokenBucket(capacity, rate, SECOND), Duration.ofMillis(millis));
                    assertThat(strict.permits()).isGreaterThanOrEqualTo(capacity / 2);
                    // Is not rejected.
                    leased(Rule.of("any", Limit.tokenBucket(capacity, rate, SECOND)), Duration.ofMillis(millis));
                }
            }
        }
    }

    private static Policy leased(Rule rule, Duration lease) {
        return Policy.named("any").rule(rule).leased(lease).build();
    }
}
