package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.TestServer;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code POST /v1/check} through a real client. */
class CheckApiTest {

    private static final String TOO_LONG =
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
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
    void an_allowed_check_is_200_with_the_decision() {
        HttpResponse<String> response = server.check(body("alice", 1));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(response.body())
                .startsWith("{\"policy\":\"api\",\"allowed\":true,\"limit\":3,\"remaining\":2,"
                        + "\"resetAfterSeconds\":60,\"decidedAt\":\"2026-")
                .contains("{\"rule\":\"global\",\"allowed\":true,\"limit\":1000,\"remaining\":999,");
    }

    @Test
    void a_denied_request_is_200_too_because_the_client_asked_for_the_decision() {
        server.check(body("alice", 3));

        HttpResponse<String> response = server.check(body("alice", 1));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body())
                .contains("\"allowed\":false,\"deniedBy\":\"per-user\"", "\"retryAfterSeconds\":60,");
    }

    @ParameterizedTest(name = "{index}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            400 | {"policy": "api"} | counts by \\"user\\"
            400 | {"policy": "api", "attributes": {"user": ""}} | counts by \\"user\\"
            400 | {"policy": "api", "attributes": {"user": "a", "b ": "c"}} | name of an attribute must be
            400 | {"policy": "api", "attributes": {"user": "a"}, "permits": 0} | permits must be a whole number from 1
            400 | {"policy": "api", "attributes": {"user": "a"}, "cost": 1} | unknown member \\"cost\\"
            400 | {"policy": "api", "attributes": {"user": "a"} | line 1, column
            404 | {"policy": "apo", "attributes": {"user": "a"}} | no policy is named \\"apo\\"
            """)
    void an_invalid_request_is_a_problem_that_names_the_error(int status, String body, String detail) {
        HttpResponse<String> response = server.check(body);

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(response.body()).contains("\"status\":" + status, detail);
        assertNothingWasCharged("a");
    }

    @Test
    void json_that_is_too_deep_is_400() {
        HttpResponse<String> response = server.check("{\"policy\": \"api\", \"attributes\": " + "[".repeat(60_000));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("nested deeper than 16");
    }

    @ParameterizedTest
    @ValueSource(ints = {64 * 1024 + 1, 1_000_000, 20_000_000})
    void a_body_that_is_too_long_is_413(int bytes) {
        HttpResponse<String> response = server.check(body("x".repeat(bytes), 1));

        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(response.body()).contains("the body must be at most 65536 bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", "application/xml", "application/json5"})
    void another_content_type_is_415(String type) {
        HttpResponse<String> response = server.check(body("alice", 1).getBytes(StandardCharsets.UTF_8), type);

        assertThat(response.statusCode()).isEqualTo(415);
        assertThat(response.body()).contains("the content type must be application/json");
        assertNothingWasCharged("alice");
    }

    @Test
    void a_charset_may_be_given() {
        byte[] body = body("alice", 1).getBytes(StandardCharsets.UTF_8);

        assertThat(server.check(body, "application/json; charset=utf-8").statusCode())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "PUT", "DELETE"})
    void other_methods_are_405(String method) {
        HttpResponse<String> response = server.send(
                HttpRequest.newBuilder(server.at("/v1/check")).method(method, HttpRequest.BodyPublishers.noBody()));

        assertThat(response.statusCode()).isEqualTo(405);
        assertThat(response.headers().firstValue("Allow")).contains("POST");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"order 17\"", "order 17", "order-18 "})
    void a_check_with_a_key_is_charged_once(String key) {
        HttpResponse<String> first = checkWithKey(key, body("alice", 1));

        assertThat(checkWithKey(key, body("alice", 1)).body())
                .isEqualTo(first.body())
                .contains("\"remaining\":2");
        assertThat(server.check(body("alice", 1)).body()).contains("\"remaining\":1");
    }

    @Test
    void a_key_that_was_used_for_another_check_is_422() {
        checkWithKey("order", body("alice", 1));

        HttpResponse<String> response = checkWithKey("order", body("alice", 2));

        assertThat(response.statusCode()).isEqualTo(422);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(response.body())
                .contains(
                        "Idempotency-Key was already used for a check with other permits or ids; nothing was charged");
        assertThat(server.check(body("alice", 1)).body()).contains("\"remaining\":1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"\"", "a\tb", "\u00e4", TOO_LONG})
    void an_invalid_key_is_400(String key) {
        HttpResponse<String> response = checkWithKey(key, body("alice", 1));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("Idempotency-Key must be 1 to 128 printable ASCII characters");
        assertNothingWasCharged("alice");
    }

    @Test
    void two_keys_are_400() {
        HttpResponse<String> response = server.send(
                checkOf(body("alice", 1)).header("Idempotency-Key", "a").header("Idempotency-Key", "b"));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("Idempotency-Key is given 2 times; send it once");
    }

    private static HttpResponse<String> checkWithKey(String key, String body) {
        return server.send(checkOf(body).header("Idempotency-Key", key));
    }

    private static HttpRequest.Builder checkOf(String body) {
        return HttpRequest.newBuilder(server.at("/v1/check"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    private static void assertNothingWasCharged(String user) {
        assertThat(server.check(body(user, 1)).body()).contains("\"remaining\":2");
    }

    private static String body(String user, long permits) {
        return "{\"policy\": \"api\", \"attributes\": {\"user\": \"" + user + "\"}, \"permits\": " + permits + "}";
    }
}
