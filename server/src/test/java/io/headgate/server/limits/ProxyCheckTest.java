package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.server.TestServer;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code GET /check/{policy}} through a real client. */
class ProxyCheckTest {

    private static final TestServer server = new TestServer();

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.forget();
    }

    @Test
    void an_allowed_request_is_200_and_empty_with_the_fields_of_an_admission() {
        HttpResponse<String> response = server.get("/check/api", "Headgate-User", "alice");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEmpty();
        assertThat(field(response, "Cache-Control")).isEqualTo("no-store");
        assertThat(field(response, "X-RateLimit-Limit")).isEqualTo("3");
        assertThat(field(response, "X-RateLimit-Remaining")).isEqualTo("2");
        assertThat(field(response, "X-RateLimit-Reset")).isEqualTo("60");
        assertThat(field(response, "RateLimit-Policy")).isEqualTo("\"global\";q=1000;w=1, \"per-user\";q=3;w=60");
        assertThat(field(response, "RateLimit")).isEqualTo("\"global\";r=999;t=1, \"per-user\";r=2;t=60");
        assertThat(field(response, "X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(response.headers().map().keySet())
                .containsExactlyInAnyOrder(
                        "cache-control",
                        "x-content-type-options",
                        "x-ratelimit-limit",
                        "x-ratelimit-remaining",
                        "x-ratelimit-reset",
                        "ratelimit-policy",
                        "ratelimit",
                        "content-length",
                        "date");
    }

    @Test
    void a_denied_request_is_429_with_a_problem_and_retry_after() {
        server.get("/check/api?user=alice&permits=3");
        server.clock.advance(Duration.ofSeconds(20));

        HttpResponse<String> response = server.get("/check/api?user=alice");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(field(response, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(field(response, "Cache-Control")).isEqualTo("no-store");
        assertThat(field(response, "Retry-After")).isEqualTo("40");
        assertThat(response.body())
                .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                        + "\"title\":\"Quota exceeded\",\"status\":429,"
                        + "\"detail\":\"Rule per-user admits 3 permits in any minute, by user."
                        + " Try again in 40 seconds.\","
                        + "\"policy\":\"api\",\"violated-policies\":[\"per-user\"]}\n");
    }

    @Test
    void an_idempotency_key_of_a_client_is_ignored() {
        server.get("/check/api", "Headgate-User", "alice", "Idempotency-Key", "same");
        HttpResponse<String> response = server.get("/check/api", "Headgate-User", "alice", "Idempotency-Key", "same");

        assertThat(response.headers().firstValue("X-RateLimit-Remaining")).contains("1");
    }

    @Test
    void an_override_is_selected_by_the_query_and_not_by_a_field_that_a_client_may_send() {
        Policy plans = Policy.named("plans")
                .rule("per-user", Limit.slidingWindow(3, Duration.ofMinutes(1)), Attributes.USER)
                .override("per-user", Attributes.of("plan", "gold"), Limit.slidingWindow(30, Duration.ofMinutes(1)))
                .build();
        try (TestServer own = new TestServer(plans)) {
            assertThat(field(own.get("/check/plans?user=alice&plan=gold"), "X-RateLimit-Limit"))
                    .isEqualTo("30");
            assertThat(field(own.get("/check/plans?user=alice&plan=silver"), "X-RateLimit-Limit"))
                    .isEqualTo("3");
            assertThat(field(own.get("/check/plans?user=alice&plan="), "X-RateLimit-Limit"))
                    .isEqualTo("3");
            assertThat(field(own.get("/check/plans?user=alice", "Headgate-Plan", "gold"), "X-RateLimit-Limit"))
                    .isEqualTo("3");
            assertThat(own.get("/check/plans?user=alice&plan=gold&plan=gold").statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void an_override_by_a_parameter_of_the_server_is_rejected() {
        Policy hold = Policy.named("plans")
                .rule("per-user", Limit.slidingWindow(3, Duration.ofMinutes(1)), Attributes.USER)
                .override("per-user", Attributes.of("hold", "1s"), Limit.slidingWindow(30, Duration.ofMinutes(1)))
                .build();
        assertThatThrownBy(() -> ProxyRequest.requireNoReservedNames(List.of(hold)))
                .hasMessage("policy plans has an override by hold, which the server needs as a parameter of its own;"
                        + " rename that attribute");
    }

    @Test
    void the_proxy_chooses_the_status_of_a_denial() {
        server.get("/check/api?user=alice&permits=3");

        HttpResponse<String> response = server.get("/check/api?user=alice&deny=403");

        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body()).contains("\"status\":403");
        assertThat(field(response, "Retry-After")).isEqualTo("60");
    }

    @Test
    void more_permits_than_the_limit_are_denied_without_retry_after() {
        HttpResponse<String> response = server.get("/check/api?user=alice&permits=9223372036854775807");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.headers().firstValue("Retry-After")).isEmpty();
        assertThat(field(response, "X-RateLimit-Remaining")).isEqualTo("3");
    }

    @Test
    void the_field_of_a_dimension_is_found_in_any_case_and_other_fields_are_ignored() {
        HttpResponse<String> response = server.get(
                "/check/agents?other=1&other=2",
                "HEADGATE-user-AGENT",
                "curl",
                "headgate-ip",
                "::1",
                "Headgate-X",
                "y");

        assertThat(response.statusCode()).isEqualTo(200);
    }

    @Test
    void permits_come_from_the_query_and_not_from_a_field_that_a_client_may_send() {
        HttpResponse<String> response = server.get("/check/api?user=alice&permits=2", "Headgate-Permits", "1000");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(field(response, "X-RateLimit-Remaining")).isEqualTo("1");
    }

    @Test
    void a_semicolon_is_part_of_a_value_and_begins_no_parameter() {
        HttpResponse<String> response = server.get("/check/api?user=a;permits=3");

        assertThat(field(response, "X-RateLimit-Remaining")).isEqualTo("2");
        assertThat(field(server.get("/check/api?user=a%3Bpermits=3"), "X-RateLimit-Remaining"))
                .isEqualTo("1");
    }

    @Test
    void the_same_value_in_the_field_and_the_query_is_one_value() {
        assertThat(server.get("/check/api?user=alice", "Headgate-User", "alice").statusCode())
                .isEqualTo(200);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            /check/api                              | policy api counts by user, which the request does not contain; send the field Headgate-User, or user= in the query
            /check/api?user=                        | policy api counts by user, which the request does not contain; send the field Headgate-User, or user= in the query
            /check/api?user=a&user=a                | user is given 2 times; give it once
            /check/api?user=a&permits=0             | permits must be a whole number from 1 to 9223372036854775807, was \\"0\\"
            /check/api?user=a&permits=-1            | permits must be a whole number from 1
            /check/api?user=a&permits=%2B3          | permits must be a whole number from 1 to 9223372036854775807, was \\"+3\\"
            /check/api?user=a&permits=%D9%A3        | permits must be a whole number from 1
            /check/api?user=a&deny=%2B403           | deny must be a whole number from 400 to 599
            /check/api?user=a&permits=1.5           | permits must be a whole number from 1
            /check/api?user=a&permits=9223372036854775808 | permits must be a whole number from 1
            /check/api?user=a&permits=1&permits=1   | permits is given 2 times
            /check/api?user=a&deny=399              | deny must be a whole number from 400 to 599, was \\"399\\"
            /check/api?user=a&deny=600              | deny must be a whole number from 400 to 599, was \\"600\\"
            /check/api?user=a&deny=no               | deny must be a whole number from 400 to 599, was \\"no\\"
            /check/api?user=%FF                     | query parameter user is not UTF-8
            """)
    void an_invalid_check_is_400_with_a_problem_and_charges_nothing(String path, String detail) {
        HttpResponse<String> response = server.get(path);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(field(response, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(response.body())
                .startsWith("{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,\"detail\":\"")
                .contains(detail);
        assertThat(field(server.get("/check/api?user=a"), "X-RateLimit-Remaining"))
                .isEqualTo("2");
    }

    @Test
    void a_field_given_twice_is_400() {
        HttpResponse<String> response = server.get("/check/api", "Headgate-User", "a", "Headgate-User", "a");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("Headgate-User is given 2 times");
    }

    @Test
    void different_values_in_the_field_and_the_query_are_400() {
        HttpResponse<String> response = server.get("/check/api?user=bob", "Headgate-User", "alice");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("alice", "bob", "give one of them");
    }

    @Test
    void an_unknown_policy_is_404_and_shows_what_was_given() {
        HttpResponse<String> response = server.get("/check/%3Cb%3E?user=a");

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.body()).contains("no policy is named \\\"<b>\\\"; /v1/status lists them");
    }

    @ParameterizedTest
    @CsvSource({"POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
    void other_methods_are_405(String method) {
        HttpResponse<String> response = server.send(HttpRequest.newBuilder(server.at("/check/api?user=a"))
                .method(method, HttpRequest.BodyPublishers.noBody()));

        assertThat(response.statusCode()).isEqualTo(405);
        assertThat(field(response, "Allow")).isEqualTo("GET, HEAD");
        assertThat(field(response, "Content-Type")).isEqualTo("application/problem+json");
    }

    @Test
    void head_is_like_get_without_a_body() {
        server.get("/check/api?user=a&permits=3");

        HttpResponse<String> response = server.send(HttpRequest.newBuilder(server.at("/check/api?user=a"))
                .version(HttpClient.Version.HTTP_1_1)
                .method("HEAD", HttpRequest.BodyPublishers.noBody()));

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.body()).isEmpty();
        assertThat(field(response, "Retry-After")).isEqualTo("60");
    }

    @Test
    void http_2_is_supported() {
        HttpResponse<String> response = server.send(
                HttpRequest.newBuilder(server.at("/check/api?user=a")).version(HttpClient.Version.HTTP_2));

        assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(field(response, "RateLimit")).contains("\"per-user\";r=2");
    }

    private static String field(HttpResponse<String> response, String name) {
        List<String> values = response.headers().allValues(name);
        assertThat(values).as(name).hasSize(1);
        return values.get(0);
    }
}
