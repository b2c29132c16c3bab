package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.server.text.Json;
import io.headgate.testkit.Decisions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class DecisionJsonTest {

    private static final Policy API = Policy.named("api")
            .rule(Rule.of("global", Limit.tokenBucket(2000, 1000, Duration.ofSeconds(1))))
            .rule(Rule.of("per-user", Limit.slidingWindow(100, Duration.ofMinutes(1)), Attributes.USER))
            .build();

    private static final Instant AT = Instant.parse("2027-01-15T08:00:00.123456Z");

    @Test
    void an_allowed_decision_has_no_denied_by_and_no_retry() {
        assertThat(json(Decisions.allowed(API)
                        .at(AT)
                        .resetAfter("global", Duration.ofMillis(1))
                        .remaining("per-user", 60)
                        .resetAfter("per-user", Duration.ofNanos(59_000_001_000L))
                        .build()))
                .isEqualTo("{\"policy\":\"api\",\"allowed\":true,\"limit\":100,\"remaining\":60,"
                        + "\"resetAfterSeconds\":59.000001,\"decidedAt\":\"2027-01-15T08:00:00.123456Z\",\"rules\":["
                        + "{\"rule\":\"global\",\"allowed\":true,\"limit\":2000,\"remaining\":1999,"
                        + "\"resetAfterSeconds\":0.001},"
                        + "{\"rule\":\"per-user\",\"allowed\":true,\"limit\":100,\"remaining\":60,"
                        + "\"resetAfterSeconds\":59.000001}]}");
    }

    @Test
    void a_denied_decision_names_the_rule_and_the_wait_to_the_microsecond() {
        assertThat(json(Decisions.denied(API, "per-user")
                        .retryAfter(Duration.ofNanos(41_234_567_000L))
                        .resetAfter(Duration.ofMinutes(1))
                        .build()))
                .startsWith("{\"policy\":\"api\",\"allowed\":false,\"deniedBy\":\"per-user\",\"limit\":100,"
                        + "\"remaining\":0,\"retryAfterSeconds\":41.234567,\"resetAfterSeconds\":60,");
    }

    @Test
    void a_request_that_can_never_be_allowed_has_no_retry() {
        assertThat(json(Decisions.denied(API, "per-user").notRetryable().build()))
                .contains("\"deniedBy\":\"per-user\"")
                .doesNotContain("retryAfter");
    }

    @Test
    void a_basis_other_than_counted_is_a_member() {
        assertThat(json(Decisions.allowed(API).build())).doesNotContain("basis");
        assertThat(json(Decisions.allowed(API).basis(Decision.Basis.LEASED).build()))
                .contains("\"basis\":\"leased\"");
        assertThat(json(Decisions.denied(API, "per-user")
                        .basis(Decision.Basis.CACHED_DENIAL)
                        .build()))
                .contains("\"basis\":\"cached-denial\"");
    }

    @Test
    void a_decision_without_rules_has_no_numbers() {
        assertThat(json(Decisions.open(API)))
                .isEqualTo("{\"policy\":\"api\",\"allowed\":true,\"decidedAt\":\"2027-01-15T08:00:00.000000Z\","
                        + "\"basis\":\"open\",\"rules\":[]}");
        assertThat(json(Decisions.closed(API, Duration.ofSeconds(1))))
                .isEqualTo("{\"policy\":\"api\",\"allowed\":false,\"retryAfterSeconds\":1,"
                        + "\"decidedAt\":\"2027-01-15T08:00:00.000000Z\",\"basis\":\"closed\",\"rules\":[]}");
    }

    private static String json(Decision decision) {
        return new String(Json.bytes(DecisionJson.of(decision, false)), StandardCharsets.UTF_8);
    }
}
