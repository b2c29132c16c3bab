package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Decision;
import io.headgate.limits.internal.decision.EngineDecisions;
import io.headgate.limits.internal.decision.EngineRuleDecision;
import io.headgate.server.text.Json;
import io.headgate.testkit.Decisions;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class DecisionJsonTest {

    @Test
    void an_allowed_decision_has_no_denied_by_and_no_retry() {
        assertThat(json(Decisions.allowed()))
                .isEqualTo("{\"policy\":\"api\",\"allowed\":true,\"limit\":100,\"remaining\":60,"
                        + "\"resetAfterSeconds\":59.000001,\"decidedAt\":\"2027-01-15T08:00:00.123456Z\",\"rules\":["
                        + "{\"rule\":\"global\",\"allowed\":true,\"limit\":2000,\"remaining\":1999,"
                        + "\"resetAfterSeconds\":0.001},"
                        + "{\"rule\":\"per-user\",\"allowed\":true,\"limit\":100,\"remaining\":60,"
                        + "\"resetAfterSeconds\":59.000001}]}");
    }

    @Test
    void a_denied_decision_names_the_rule_and_the_wait_to_the_microsecond() {
        assertThat(json(Decisions.denied()))
                .startsWith("{\"policy\":\"api\",\"allowed\":false,\"deniedBy\":\"per-user\",\"limit\":100,"
                        + "\"remaining\":0,\"retryAfterSeconds\":41.234567,\"resetAfterSeconds\":60,");
    }

    @Test
    void what_never_passes_has_no_retry() {
        assertThat(json(Decisions.neverAllowed()))
                .contains("\"deniedBy\":\"per-user\"")
                .doesNotContain("retryAfter");
    }

    @Test
    void what_does_not_rest_on_the_counts_says_on_what() {
        assertThat(json(Decisions.allowed())).doesNotContain("basis");
        assertThat(json(EngineDecisions.leased(Decisions.allowed(), 1, 0))).contains("\"basis\":\"leased\"");
        assertThat(json(EngineDecisions.cachedDenial(Decisions.API, Decisions.AT_MICROS, (EngineRuleDecision)
                        Decisions.denied().decisive())))
                .contains("\"basis\":\"cached-denial\"");
    }

    private static String json(Decision decision) {
        return new String(Json.bytes(DecisionJson.of(decision, false)), StandardCharsets.UTF_8);
    }
}
