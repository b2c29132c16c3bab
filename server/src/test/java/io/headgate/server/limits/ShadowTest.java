package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.server.TestServer;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Shadow rules are in the JSON of checks, the status and the page. The header fields and problems of checks by proxies omit them. */
class ShadowTest {

    private static final Rule TRIAL =
            Rule.of("trial", Limit.slidingWindow(1, Duration.ofMinutes(1))).inShadow();
    private static final Rule ENFORCED = Rule.of("enforced", Limit.slidingWindow(2, Duration.ofMinutes(1)));

    private static final TestServer server = new TestServer(
            Policy.named("both").rule(TRIAL).rule(ENFORCED).build(),
            Policy.named("counted").rule(TRIAL).rule(ENFORCED).build(),
            Policy.named("only").rule(TRIAL).build());

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.forget();
    }

    @Test
    void the_json_lists_what_a_shadow_rule_would_have_denied() {
        server.get("/check/both");

        assertThat(server.check("{\"policy\": \"both\"}").body())
                .startsWith("{\"policy\":\"both\",\"allowed\":true,\"deniedInShadow\":[\"trial\"],\"limit\":2,"
                        + "\"remaining\":0,\"resetAfterSeconds\":60,\"decidedAt\":")
                .contains("{\"rule\":\"trial\",\"shadow\":true,\"allowed\":false,\"limit\":1,\"remaining\":0,"
                        + "\"retryAfterSeconds\":60,\"resetAfterSeconds\":60}");
    }

    @Test
    void the_json_of_a_policy_of_shadow_rules_has_no_limit() {
        server.get("/check/only");

        assertThat(server.check("{\"policy\": \"only\"}").body())
                .startsWith("{\"policy\":\"only\",\"allowed\":true,\"deniedInShadow\":[\"trial\"],\"decidedAt\":");
    }

    @Test
    void the_fields_and_the_problem_ignore_a_shadow_rule() {
        HttpResponse<String> first = server.get("/check/both");
        assertThat(first.headers().firstValue("X-RateLimit-Limit")).contains("2");
        assertThat(first.headers().firstValue("RateLimit-Policy")).contains("\"enforced\";q=2;w=60");
        assertThat(first.headers().firstValue("RateLimit")).contains("\"enforced\";r=1;t=60");
        server.get("/check/both");

        HttpResponse<String> denied = server.get("/check/both");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.body()).contains("\"violated-policies\":[\"enforced\"]");
    }

    @Test
    void a_policy_of_shadow_rules_has_no_fields_and_admits_everything() {
        server.get("/check/only");

        HttpResponse<String> response = server.get("/check/only");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().map().keySet())
                .containsExactlyInAnyOrder("cache-control", "x-content-type-options", "content-length", "date");
    }

    @Test
    void the_page_and_the_status_count_shadow_denials_separately() {
        server.get("/check/counted");
        server.get("/check/counted");

        assertThat(server.get("/v1/status").body())
                .contains(
                        "{\"policy\":\"counted\",\"allowed\":2,\"denied\":0,\"byFallback\":0,\"failed\":0,\"rules\":[{\"rule\":\"trial\",")
                .contains("\"deniedInShadow\":1}")
                .contains("{\"rule\":\"enforced\",")
                .contains("\"denied\":0}]}");
        assertThat(server.get("/").body())
                .contains("in total; shadow mode, denies nothing</td>"
                        + "<td><span data-of=\"counted by trial\">1</span> in shadow mode</td>")
                .contains("<td data-of=\"counted by enforced\">0</td>")
                .contains("<b data-of=\"counted denied\">0</b>")
                .contains("rule.deniedInShadow ?? rule.denied");
    }
}
