package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.server.TestServer;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A check of several policies charges all of them, or none. */
class CombinedCheckTest {

    private static final Policy SEARCH =
            Policy.of("search", Limit.slidingWindow(2, Duration.ofMinutes(2)), Attributes.IP);
    private static final Policy EVEN =
            Policy.of("even", Limit.leakyBucket(5, 1, Duration.ofMillis(50)).shaper(), Attributes.USER);

    private static final TestServer server = new TestServer(TestServer.API, SEARCH, EVEN);

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.forget();
    }

    private static String body(String user, String ip) {
        return "{\"policies\": [{\"policy\": \"api\", \"attributes\": {\"user\": \"" + user
                + "\"}}, {\"policy\": \"search\", \"attributes\": {\"ip\": \"" + ip + "\"}, \"permits\": 1}]}";
    }

    @Test
    void an_allowed_check_has_the_decision_of_each_policy() {
        HttpResponse<String> response = server.check(body("alice", "192.0.2.1"));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body())
                .startsWith(
                        "{\"allowed\":true,\"policies\":[{\"policy\":\"api\",\"allowed\":true,\"limit\":3,\"remaining\":2,")
                .contains("{\"policy\":\"search\",\"allowed\":true,\"limit\":2,\"remaining\":1,");
    }

    @Test
    void a_denied_check_is_charged_to_no_policy() {
        server.check(body("bob", "192.0.2.1"));
        server.check(body("bob", "192.0.2.1"));
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> response = server.check(body("alice", "192.0.2.1"));
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body())
                    .startsWith("{\"allowed\":false,\"deniedBy\":\"search\",\"retryAfterSeconds\":120,\"policies\":["
                            + "{\"policy\":\"api\",\"allowed\":true,\"limit\":3,\"remaining\":3,")
                    .doesNotContain("receipt");
        }
        assertThat(server.remaining("api", "alice")).isEqualTo(3);
    }

    @ParameterizedTest(name = "{index}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            400 | {"policies": []} | policies must be an array of 1 to 16 objects, was an array of 0
            400 | {"policies": "api"} | policies must be an array of 1 to 16 objects, was a string
            400 | {"policies": ["api"]} | each of policies must be a JSON object
            400 | {"policies": [{"policy": "api"}], "policy": "api"} | policy must not be given with policies
            400 | {"policies": [{"policy": "api"}], "attributes": {}} | attributes must not be given with policies
            400 | {"policies": [{"policy": "api", "cost": 1}]} | unknown member \\"cost\\"
            400 | {"policies": [{"policy": "api", "attributes": {"user": "a"}}, {"policy": "search"}]} | counts by \\"ip\\"
            400 | {"policies": [{"policy": "api", "attributes": {"user": "a"}}, {"policy": "api", "attributes": {"user": "b"}}]} | parts 1 and 2 of a combined request are charged to the same count
            404 | {"policies": [{"policy": "api", "attributes": {"user": "a"}}, {"policy": "apo"}]} | no policy is named \\"apo\\"
            """)
    void an_invalid_check_names_the_error_and_charges_nothing(int status, String body, String detail) {
        HttpResponse<String> response = server.check(body);

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.body()).contains("\"status\":" + status, detail);
        assertThat(server.remaining("api", "a")).isEqualTo(3);
    }

    @Test
    void an_idempotency_key_is_rejected() {
        HttpResponse<String> response =
                server.send(server.json("/v1/check", body("alice", "192.0.2.1")).header("Idempotency-Key", "k1"));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("Idempotency-Key is not accepted for several policies");
        assertThat(server.remaining("api", "alice")).isEqualTo(3);
    }

    @Test
    void a_proxy_names_several_policies_and_receives_the_fields_of_all() {
        HttpResponse<String> response = server.get("/check/api,search?user=alice&ip=192.0.2.1");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("X-RateLimit-Remaining")).contains("1");
        assertThat(response.headers().firstValue("RateLimit"))
                .contains("\"api:global\";r=999;t=1, \"api:per-user\";r=2;t=60, \"search:limit\";r=1;t=120");
    }

    @Test
    void the_addresses_of_an_ipv6_network_share_a_limit() {
        HttpResponse<String> first = server.get("/check/search", "Headgate-Ip", "2001:db8::1");
        HttpResponse<String> second = server.get("/check/search?ip=2001:db8::2");

        assertThat(first.headers().firstValue("X-RateLimit-Remaining")).contains("1");
        assertThat(second.headers().firstValue("X-RateLimit-Remaining")).contains("0");
    }

    @Test
    void a_proxy_is_denied_by_one_of_several_policies_and_none_is_charged() {
        server.get("/check/search?ip=192.0.2.1&permits=2");

        HttpResponse<String> response = server.get("/check/api,search?user=alice&ip=192.0.2.1&deny=403");

        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.headers().firstValue("Retry-After")).contains("120");
        assertThat(response.headers().firstValue("X-RateLimit-Limit")).contains("2");
        assertThat(response.body()).contains("\"policy\":\"search\",\"violated-policies\":[\"limit\"]");
        assertThat(server.remaining("api", "alice")).isEqualTo(3);
    }

    @Test
    void a_proxy_waits_for_the_shaper_of_any_policy() {
        // hold is the longest delay of the response; Headgate-Delay has the rest of the delay.
        server.get("/check/api,even?user=alice");
        assertThat(server.get("/check/api,even?user=alice&hold=0ms").headers().firstValue("Headgate-Delay"))
                .contains("0.05");
        assertThat(server.get("/check/api,even?user=alice&hold=1s").headers().firstValue("Headgate-Delay"))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            404 | /check/api,apo?user=a | no policy is named
            404 | /check/api,?user=a | no policy is named
            400 | /check/api,search?user=a | counts by ip
            400 | /check/api,api?user=a | charged to the same count
            400 | /check/a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a?user=a | the path must name at most 16 policies, but names more
            """)
    void an_invalid_check_by_a_proxy_names_the_error(int status, String path, String detail) {
        HttpResponse<String> response = server.get(path);

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.body()).contains(detail);
        assertThat(server.remaining("api", "a")).isEqualTo(3);
    }
}
