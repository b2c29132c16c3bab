package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.combined.CombinedDecision;
import io.headgate.testkit.Decisions;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateLimitFieldsTest {

    @Test
    void an_allowed_decision_has_the_decisive_rule_in_x_fields_and_every_rule_in_ietf_fields() {
        assertThat(RateLimitFields.of(ApiDecisions.allowed()))
                .containsExactly(
                        Map.entry("X-RateLimit-Limit", "100"),
                        Map.entry("X-RateLimit-Remaining", "60"),
                        Map.entry("X-RateLimit-Reset", "60"),
                        Map.entry("RateLimit-Policy", "\"global\";q=2000;w=2, \"per-user\";q=100;w=60"),
                        Map.entry("RateLimit", "\"global\";r=1999;t=1, \"per-user\";r=60;t=60"));
    }

    @Test
    void a_denied_request_has_a_retry_after_in_whole_seconds_rounded_up() {
        assertThat(RateLimitFields.of(ApiDecisions.denied()))
                .containsEntry("Retry-After", "42")
                .containsEntry("X-RateLimit-Remaining", "0");
    }

    @Test
    void a_combined_decision_has_the_rules_of_all_policies_prefixed_by_the_policy() {
        Policy search = Policy.of("search", Limit.fixedWindow(10, Duration.ofSeconds(20)), "user");
        Decision denied = Decisions.denied(search, "limit")
                .retryAfter(Duration.ofSeconds(7))
                .build();
        assertThat(RateLimitFields.of(new CombinedDecision(List.of(ApiDecisions.allowed(), denied))))
                .containsEntry("X-RateLimit-Limit", "10")
                .containsEntry("X-RateLimit-Remaining", "0")
                .containsEntry(
                        "RateLimit-Policy",
                        "\"api:global\";q=2000;w=2, \"api:per-user\";q=100;w=60, \"search:limit\";q=10;w=20")
                .containsEntry(
                        "RateLimit", "\"api:global\";r=1999;t=1, \"api:per-user\";r=60;t=60, \"search:limit\";r=0;t=7")
                .containsEntry("Retry-After", "7");
        assertThat(RateLimitFields.of(new CombinedDecision(List.of(ApiDecisions.allowed()))))
                .doesNotContainKey("Retry-After")
                .containsEntry("X-RateLimit-Remaining", "60");
        Decision closed = Decisions.closed(search, Duration.ofSeconds(1));
        assertThat(RateLimitFields.of(new CombinedDecision(List.of(ApiDecisions.allowed(), closed))))
                .containsExactly(Map.entry("Retry-After", "1"));
    }

    @Test
    void a_retry_after_of_a_microsecond_is_rounded_up_to_a_second() {
        Decision decision = deniedFor(1);

        assertThat(RateLimitFields.of(decision)).containsEntry("Retry-After", "1");
    }

    @Test
    void a_retry_after_of_whole_seconds_is_exact() {
        Decision decision = deniedFor(3_000_000);

        assertThat(RateLimitFields.of(decision)).containsEntry("Retry-After", "3");
    }

    @Test
    void a_request_that_can_never_be_allowed_has_no_retry_after() {
        assertThat(RateLimitFields.of(ApiDecisions.notRetryable())).doesNotContainKey("Retry-After");
    }

    @Test
    void a_window_below_a_second_is_rounded_up_to_one() {
        assertThat(windowOf(Limit.fixedWindow(5, Duration.ofMillis(20)))).isEqualTo("\"limit\";q=5;w=1");
    }

    @Test
    void the_window_of_a_token_bucket_is_the_time_to_fill_it_rounded_up() {
        assertThat(windowOf(Limit.tokenBucket(10, 3, Duration.ofSeconds(1)))).isEqualTo("\"limit\";q=10;w=4");
    }

    @Test
    void the_window_of_the_largest_token_bucket_does_not_overflow() {
        assertThat(windowOf(Limit.tokenBucket(1_000_000_000, 1_000_000, Duration.ofDays(3))))
                .isEqualTo("\"limit\";q=1000000000;w=259200000");
    }

    @Test
    void the_window_of_a_leaky_bucket_is_the_time_in_which_all_of_it_leaks_out() {
        assertThat(windowOf(Limit.leakyBucket(10, 3, Duration.ofSeconds(1)))).isEqualTo("\"limit\";q=10;w=4");
        assertThat(windowOf(Limit.leakyBucket(10, 3, Duration.ofSeconds(1)).shaper()))
                .isEqualTo("\"limit\";q=10;w=4");
    }

    @ParameterizedTest(name = "{0} at {1}")
    @CsvSource({
        "DAY, 2027-01-15T12:00:00Z, 86400",
        "DAY, 2027-03-28T12:00:00Z, 82800", // clocks go forward
        "DAY, 2027-10-31T12:00:00Z, 90000", // and back
        "DAY, 2027-03-27T23:00:00Z, 82800", // already the 28th in Berlin
        "WEEK, 2027-01-15T12:00:00Z, 604800",
        "WEEK, 2027-03-28T12:00:00Z, 601200", // a Sunday
        "MONTH, 2027-01-15T12:00:00Z, 2678400",
        "MONTH, 2027-02-15T12:00:00Z, 2419200",
        "MONTH, 2027-10-01T12:00:00Z, 2682000"
    })
    void the_window_of_a_calendar_window_is_the_length_of_the_current_period(
            CalendarWindow.Unit unit, Instant at, long seconds) {
        assertThat(windowOf(Limit.calendarWindow(5, unit, ZoneId.of("Europe/Berlin")), at))
                .isEqualTo("\"limit\";q=5;w=" + seconds);
    }

    @Test
    void a_limit_of_zero_has_a_window_of_one_second() {
        assertThat(windowOf(Limit.tokenBucket(0, 1, Duration.ofSeconds(1)))).isEqualTo("\"limit\";q=0;w=1");
    }

    @Test
    void a_decision_without_rules_has_no_numbers() {
        assertThat(RateLimitFields.of(Decisions.open(ApiDecisions.API))).isEmpty();
        assertThat(RateLimitFields.of(Decisions.closed(ApiDecisions.API, Duration.ofSeconds(1))))
                .containsExactly(Map.entry("Retry-After", "1"));
    }

    private static Decision deniedFor(long micros) {
        return Decisions.denied(ApiDecisions.API, "global")
                .retryAfter(Duration.ofNanos(micros * 1000))
                .resetAfter(Duration.ofNanos(micros * 1000))
                .remaining("per-user", 100)
                .resetAfter("per-user", Duration.ZERO)
                .build();
    }

    private static String windowOf(Limit limit) {
        return windowOf(limit, Instant.EPOCH);
    }

    private static String windowOf(Limit limit, Instant at) {
        Policy policy = Policy.of("p", limit);
        Decision decision = Decisions.allowed(policy)
                .at(at)
                .remaining(0)
                .resetAfter(Duration.ZERO)
                .build();
        return RateLimitFields.of(decision).getOrDefault("RateLimit-Policy", "");
    }
}
