package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.server.TestServer;
import io.headgate.server.http.BearerToken;
import io.headgate.server.text.Json;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** {@code POST /v1/refund} through a real client. */
class RefundApiTest {

    private static final String TOKEN = "sixteen-or-more-characters";

    private static final Policy SHADOW = Policy.named("shadow")
            .rule(Rule.of("tried", Limit.fixedWindow(1, Duration.ofMinutes(1)), Attributes.USER)
                    .inShadow())
            .build();

    private static final TestServer server = new TestServer(
            TestServer.settings(Duration.ZERO, Optional.of(new BearerToken(TOKEN))), TestServer.API, SHADOW);

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.forget();
    }

    @Test
    void the_charge_of_a_receipt_is_refunded_and_nothing_else() {
        String receipt = check("alice", 2).get("receipt").asText();
        server.clock.advance(Duration.ofMillis(1));
        check("alice", 1);
        assertThat(check("alice", 1).get("allowed").asBoolean()).isFalse();

        HttpResponse<String> response = refund("\"receipt\": \"" + receipt + "\"");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("{\"policy\":\"api\",\"refunded\":2}\n");
        JsonNode later = check("alice", 1);
        assertThat(later.get("remaining").asInt()).isEqualTo(1);
        // Permits that no longer count are not refunded.
        server.forget();
        assertThat(refund("\"receipt\": \"" + later.get("receipt").asText() + "\"")
                        .body())
                .contains("\"refunded\":0}");
    }

    @Test
    void each_refund_is_a_line_in_the_log_of_operators_without_receipt_and_ids() {
        Logger log = (Logger) LoggerFactory.getLogger("io.headgate.audit");
        ListAppender<ILoggingEvent> written = new ListAppender<>();
        written.start();
        log.addAppender(written);
        try {
            check("alice", 2);
            refund("\"permits\": 2");
            refund("\"receipt\": \"none\"");
        } finally {
            log.detachAppender(written);
        }
        assertThat(written.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "operator 127.0.0.1 refund: refunded 2 permits of policy \"api\"",
                        "operator 127.0.0.1 refund: failed with 400");
    }

    @Test
    void the_oldest_permits_are_refunded() {
        check("alice", 1);
        server.clock.advance(Duration.ofSeconds(30));
        check("alice", 2);
        assertThat(refund("\"permits\": 1").body()).isEqualTo("{\"policy\":\"api\",\"refunded\":1}\n");
        // The permit of the first check would no longer count here.
        server.clock.advance(Duration.ofSeconds(40));
        assertThat(server.remaining("api", "alice")).isEqualTo(1);
        assertThat(refund("\"permits\": 1000000000").body()).contains("\"refunded\":2}");
        assertThat(refund("\"permits\": 1").body()).contains("\"refunded\":0}");
        assertThat(check("alice", 3).get("allowed").asBoolean()).isTrue();
    }

    @Test
    void only_a_charged_decision_has_a_receipt() {
        assertThat(check("alice", 4).has("receipt")).isFalse();
        assertThat(check("shadow", "alice", 1).has("receipt")).isTrue();
        assertThat(check("shadow", "alice", 1).has("receipt")).isFalse();
        assertThat(check("shadow", "alice", Long.MAX_VALUE).has("receipt")).isFalse();
    }

    @ParameterizedTest(name = "{index}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"policy": "api", "attributes": {"user": "alice"}} | give either receipt, to refund its decision, or permits, to refund the oldest permits
            {"policy": "api", "attributes": {"user": "alice"}, "permits": 1, "receipt": "AQ"} | give either receipt, to refund its decision, or permits, to refund the oldest permits
            {"policy": "api", "attributes": {"user": "alice"}, "permits": 0} | permits must be a whole number from 1 to 1000000000, was 0
            {"policy": "api", "attributes": {"user": "alice"}, "permits": -9223372036854775808} | from 1 to 1000000000, was -9223372036854775808
            {"policy": "api", "attributes": {"user": "alice"}, "permits": 1000000001} | from 1 to 1000000000, was 1000000001
            {"policy": "api", "attributes": {"user": "alice"}, "permits": null} | permits must be a whole number from 1 to 1000000000, was null
            {"policy": "api", "attributes": {"user": "alice"}, "receipt": 1} | receipt must be a string, was a number
            {"policy": "api", "attributes": {"user": "alice"}, "receipt": ""} | receipt must be the receipt from the response to a check, unchanged
            {"policy": "api", "attributes": {"user": "alice"}, "receipt": "\\u0000"} | receipt must be the receipt from the response to a check
            {"policy": "api", "permits": 1} | counts by \\"user\\"
            {"policy": "api", "attributes": {"user": "alice"}, "permit": 1} | unknown member \\"permit\\"; allowed are policy, attributes, receipt, permits
            [] | the body must be a JSON object such as
            """)
    void an_invalid_refund_is_400_that_names_the_error_and_refunds_nothing(String body, String detail) {
        check("alice", 2);
        HttpResponse<String> response = send(body, "Bearer " + TOKEN);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(response.body()).contains(detail);
        assertThat(check("alice", 1).get("remaining").asInt()).isZero();
    }

    @ParameterizedTest
    @ValueSource(bytes = {1, 2, 3})
    void a_receipt_of_an_older_version_is_400_with_that_reason_and_refunds_nothing(byte version) {
        byte[] receipt =
                Base64.getUrlDecoder().decode(check("alice", 1).get("receipt").asText());
        receipt[0] = version;
        HttpResponse<String> response = refund(
                "\"receipt\": \"" + Base64.getUrlEncoder().withoutPadding().encodeToString(receipt) + "\"");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("an older version of Headgate wrote the receipt");
        assertThat(check("alice", 1).get("remaining").asInt()).isEqualTo(1);
    }

    @Test
    void a_receipt_of_another_policy_is_400() {
        String receipt = check("alice", 1).get("receipt").asText();
        String body =
                "{\"policy\": \"shadow\", \"attributes\": {\"user\": \"alice\"}, \"receipt\": \"" + receipt + "\"}";
        HttpResponse<String> response = send(body, "Bearer " + TOKEN);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("the receipt is not of policy shadow");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Bearer", "Bearer ", "Bearer sixteen-or-more-character", "Basic " + TOKEN, TOKEN})
    void a_refund_without_the_token_is_401_and_refunds_nothing(String authorization) {
        check("alice", 3);
        HttpResponse<String> response =
                send("{\"policy\": \"api\", \"attributes\": {\"user\": \"alice\"}, \"permits\": 1}", authorization);
        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(response.headers().firstValue("WWW-Authenticate")).contains("Bearer");
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(response.body())
                .contains("a refund needs the header field Authorization")
                .doesNotContain(TOKEN);
        assertThat(check("alice", 1).get("allowed").asBoolean()).isFalse();
    }

    @Test
    void a_server_without_a_token_refunds_nothing_and_creates_no_receipts() {
        try (TestServer plain = new TestServer()) {
            HttpResponse<String> response = plain.send(request(plain, "{}", "Bearer " + TOKEN));
            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(response.body()).contains("refunds are off");
            assertThat(plain.check("{\"policy\": \"api\", \"attributes\": {\"user\": \"alice\"}}")
                            .body())
                    .contains("\"allowed\":true")
                    .doesNotContain("receipt");
        }
    }

    @Test
    void other_methods_types_and_sizes_are_rejected() {
        assertThat(server.get("/v1/refund").statusCode()).isEqualTo(405);
        HttpRequest.Builder form =
                request(server, "permits=1", "Bearer " + TOKEN).setHeader("Content-Type", "text/plain");
        assertThat(server.send(form).statusCode()).isEqualTo(415);
        assertThat(send("{\"receipt\": \"" + "A".repeat(70_000) + "\"}", "Bearer " + TOKEN)
                        .statusCode())
                .isEqualTo(413);
    }

    private static JsonNode check(String user, long permits) {
        return check("api", user, permits);
    }

    private static JsonNode check(String policy, String user, long permits) {
        try {
            return Json.MAPPER.readTree(server.check("{\"policy\": \"" + policy + "\", \"attributes\": {\"user\": \""
                            + user + "\"}, \"permits\": " + permits + "}")
                    .body());
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    private static HttpResponse<String> refund(String what) {
        return send("{\"policy\": \"api\", \"attributes\": {\"user\": \"alice\"}, " + what + "}", "Bearer " + TOKEN);
    }

    private static HttpResponse<String> send(String body, String authorization) {
        return server.send(request(server, body, authorization));
    }

    private static HttpRequest.Builder request(TestServer to, String body, String authorization) {
        return HttpRequest.newBuilder(to.at("/v1/refund"))
                .header("Content-Type", "application/json")
                .header("Authorization", authorization)
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }
}
