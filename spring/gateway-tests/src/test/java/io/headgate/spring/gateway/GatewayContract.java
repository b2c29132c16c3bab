package io.headgate.spring.gateway;

import static io.headgate.spring.gateway.RunningGateway.values;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** What the filter does in each kind of gateway. Both have routes with the same paths. */
abstract class GatewayContract {

    abstract RunningGateway gateway();

    abstract Upstream upstream();

    @Test
    void a_denied_request_gets_a_problem_and_never_reaches_the_upstream() {
        HttpResponse<String> first = gateway().get("/deny", "X-User", "alice");
        int calls = upstream().calls("/deny");
        HttpResponse<String> denied = gateway().get("/deny", "X-User", "alice");

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.body()).isEqualTo("upstream");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(values(denied, "Content-Type")).containsExactly("application/problem+json");
        assertThat(values(denied, "Retry-After")).hasSize(1);
        assertThat(values(denied, "X-RateLimit-Remaining")).containsExactly("0");
        assertThat(denied.body()).contains("\"policy\":\"one\"");
        assertThat(upstream().calls("/deny")).isEqualTo(calls);
        assertThat(gateway().get("/deny", "X-User", "bob").statusCode()).isEqualTo(200);
    }

    @Test
    void fields_replace_those_of_the_upstream() {
        HttpResponse<String> response = gateway().get("/deny", "X-User", "carol");

        assertThat(values(response, "X-RateLimit-Limit")).containsExactly("1");
        assertThat(values(response, "RateLimit")).hasSize(1).first().asString().startsWith("\"per-user\";r=0");
    }

    @Test
    void without_fields_those_of_the_upstream_remain() {
        HttpResponse<String> response = gateway().get("/pattern/1");
        HttpResponse<String> denied = gateway().get("/pattern/2");

        assertThat(values(response, "X-RateLimit-Limit")).containsExactly("999");
        assertThat(denied.statusCode()).isEqualTo(503);
        assertThat(values(denied, "Retry-After")).hasSize(1);
        assertThat(values(denied, "X-RateLimit-Limit")).isEmpty();
    }

    @Test
    void expressions_are_evaluated_for_each_request() {
        assertThat(gateway().get("/expression/1").statusCode()).isEqualTo(200);
        assertThat(gateway().get("/expression/1").statusCode()).isEqualTo(429);
        assertThat(gateway().get("/expression/2").statusCode()).isEqualTo(200);
        for (int i = 0; i < 3; i++) {
            assertThat(gateway().get("/expression/free").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void the_first_value_that_is_not_missing_counts() {
        assertThat(gateway().get("/variable/x/1").statusCode()).isEqualTo(200);
        assertThat(gateway().get("/variable/x/2").statusCode()).isEqualTo(429);
        assertThat(gateway().get("/variable/x/1", "X-User", "alice@variable").statusCode()).isEqualTo(200);
        assertThat(gateway().get("/variable/y/1", "X-User", "alice@variable").statusCode()).isEqualTo(429);
    }

    @Test
    void a_request_without_a_required_value_is_rejected() {
        HttpResponse<String> response = gateway().get("/deny");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(values(response, "Content-Type")).containsExactly("application/problem+json");
        assertThat(response.body()).contains("The request needs a value of user");
    }

    @Test
    void each_attempt_of_a_retry_in_front_needs_a_permit_and_a_denial_ends_it() {
        HttpResponse<String> response = gateway().get("/repeated", "X-User", "alice@repeated", "X-Status", "503");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(values(response, "X-RateLimit-Limit")).containsExactly("3");
        assertThat(response.body()).contains("\"policy\":\"three\"");
        assertThat(upstream().calls("/repeated")).isEqualTo(3);
    }

    /** On WebMVC, Gateway 4.3 repeats no exceptions, and Gateway 5 wraps the last one. */
    @Test
    void a_denial_is_answered_when_the_retries_are_exhausted() {
        assertThat(gateway().get("/exhausted").statusCode()).isEqualTo(200);
        HttpResponse<String> denied = gateway().get("/exhausted");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.body()).contains("\"policy\":\"one\"");
    }

    @Test
    void permits_are_refunded_if_the_upstream_is_unreachable() {
        for (int i = 0; i < 3; i++) {
            assertThat(gateway().get("/unreachable").statusCode()).isEqualTo(500);
        }
    }

    @Test
    void a_filter_in_its_short_form_has_a_policy() {
        assertThat(gateway().get("/short").statusCode()).isEqualTo(200);
        assertThat(gateway().get("/short").statusCode()).isEqualTo(429);
    }

    @Test
    void pages_of_allowed_origins_can_read_a_denial_and_their_preflights_are_free() {
        for (int i = 0; i < 3; i++) {
            assertThat(gateway().preflight("/deny").statusCode()).isEqualTo(200);
        }
        assertThat(gateway().get("/deny", "X-User", "dora").statusCode()).isEqualTo(200);
        HttpResponse<String> denied = gateway().get("/deny", "X-User", "dora", "Origin", "https://shop.example");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(values(denied, "Access-Control-Allow-Origin")).containsExactly("https://shop.example");
        assertThat(values(denied, "Access-Control-Expose-Headers")).first().asString().contains("Retry-After");
    }
}
