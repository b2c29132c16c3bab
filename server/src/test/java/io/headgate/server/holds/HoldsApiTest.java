package io.headgate.server.holds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.config.Policies;
import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.server.TestServer;
import io.headgate.server.text.Json;
import io.headgate.testkit.Await;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients take, renew and release holds over HTTP. */
@Timeout(60)
class HoldsApiTest {

    private static final InFlightPolicy EXPORTS = InFlightPolicy.named("exports")
            .rule("global", 3)
            .rule("per-user", 1, Attributes.USER)
            .lease(Duration.ofSeconds(20))
            .atMost(Duration.ofSeconds(60))
            .build();

    private final TestServer server =
            new TestServer(TestServer.settings(Duration.ZERO), Policies.of(List.of(TestServer.API), List.of(EXPORTS)));

    @AfterEach
    void close() {
        server.close();
    }

    private static String body(String user, String more) {
        return "{\"policy\": \"exports\", \"attributes\": {\"user\": \"" + user + "\"}" + more + "}";
    }

    private HttpResponse<String> take(String user, String more) {
        return server.post("/v1/holds", body(user, more));
    }

    private HttpResponse<String> post(String hold, String call, String more) {
        return server.post("/v1/holds/" + call, body("alice", ", \"hold\": \"" + hold + "\"" + more));
    }

    private static JsonNode json(HttpResponse<String> response) {
        try {
            return Json.MAPPER.readTree(response.body());
        } catch (JsonProcessingException e) {
            throw new AssertionError(response.body(), e);
        }
    }

    private String takeHold() {
        HttpResponse<String> response = take("alice", "");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return json(response).get("hold").textValue();
    }

    @Test
    void a_hold_is_taken_and_the_response_has_its_lease() {
        HttpResponse<String> response = take("alice", ", \"leaseSeconds\": 2.5");
        assertThat(response.body().replace(json(response).get("hold").textValue(), "HOLD"))
                .isEqualTo("{\"policy\":\"exports\",\"hold\":\"HOLD\",\"leaseSeconds\":2.5,"
                        + "\"endsAt\":\"2026-01-01T00:01:00.000000Z\",\"decidedAt\":\"2026-01-01T00:00:00.000000Z\","
                        + "\"rules\":[{\"rule\":\"global\",\"limit\":3,\"held\":1,\"free\":2,\"nextExpirySeconds\":2.5},"
                        + "{\"rule\":\"per-user\",\"limit\":1,\"held\":1,\"free\":0,\"nextExpirySeconds\":2.5}]}\n");
        assertThat(response.headers().firstValue("cache-control")).hasValue("no-store");
    }

    @Test
    void a_denied_hold_is_429_with_the_time_until_the_first_lease_expires() {
        takeHold();
        server.clock.advance(Duration.ofMillis(4500));
        HttpResponse<String> denied = take("alice", "");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValue("content-type")).hasValue("application/problem+json");
        assertThat(denied.headers().firstValue("retry-after")).hasValue("16");
        assertThat(denied.body())
                .startsWith("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                        + "\"title\":\"Quota exceeded\",\"status\":429,\"detail\":\"Rule per-user has 1 permit at once,"
                        + " by user, and 1 are held. Retry when permits are released.\",\"policy\":\"exports\","
                        + "\"violated-policies\":[\"per-user\"],\"rules\":[");
        HttpResponse<String> never = take("bob", ", \"permits\": 2");
        assertThat(never.body())
                .contains("and 0 are held. A request for this many permits is never admitted; request fewer.");
        assertThat(never.headers().firstValue("retry-after")).isEmpty();
        take("carol", "");
        take("dave", "");
        assertThat(take("erin", ", \"permits\": 2").body())
                .as("the global rule denies first, and the rule per user could never admit")
                .contains(
                        "Rule per-user has 1 permit at once, by user, and 0 are held. A request for this many permits");
        assertThat(json(server.get("/v1/status")).get("policies").get(1).toString())
                .isEqualTo(
                        "{\"policy\":\"exports\",\"allowed\":3,\"denied\":3,\"byFallback\":0,\"failed\":0,\"rules\":["
                                + "{\"rule\":\"global\",\"admits\":\"3 permits at once, in total\",\"dimensions\":[],\"denied\":1},"
                                + "{\"rule\":\"per-user\",\"admits\":\"1 permit at once, by user\",\"dimensions\":[\"user\"],\"denied\":3}]}");
        assertThat(server.get("/").body()).contains("1 permit at once, by user").contains("/v1/holds");
    }

    @Test
    void a_hold_lasts_while_its_client_renews_it_and_no_longer() {
        String hold = takeHold();
        server.clock.advance(Duration.ofSeconds(19));
        HttpResponse<String> renewed = post(hold, "renew", ", \"leaseSeconds\": 5");
        assertThat(renewed.statusCode()).isEqualTo(200);
        assertThat(renewed.body())
                .isEqualTo("{\"policy\":\"exports\",\"renewed\":true,\"leaseSeconds\":5,"
                        + "\"endsAt\":\"2026-01-01T00:01:00.000000Z\"}\n");
        server.clock.advance(Duration.ofMillis(4999));
        assertThat(take("alice", "").statusCode()).isEqualTo(429);
        server.clock.advance(Duration.ofMillis(1));
        HttpResponse<String> lost = post(hold, "renew", "");
        assertThat(lost.statusCode()).isEqualTo(410);
        assertThat(lost.body()).contains("\"title\":\"Gone\"").contains("the hold expired or was released");
        assertThat(take("alice", "").statusCode()).isEqualTo(200);
    }

    @Test
    void a_hold_ends_after_the_maximum_time_of_its_policy_despite_renewals() {
        String hold = takeHold();
        for (int i = 0; i < 5; i++) {
            server.clock.advance(Duration.ofSeconds(10));
            assertThat(post(hold, "renew", ", \"leaseSeconds\": 3600").statusCode())
                    .isEqualTo(200);
        }
        server.clock.advance(Duration.ofSeconds(10));
        assertThat(post(hold, "renew", "").statusCode()).isEqualTo(410);
    }

    @Test
    void a_second_release_is_no_error() {
        String hold = takeHold();
        assertThat(post(hold, "release", "").body()).isEqualTo("{\"policy\":\"exports\",\"released\":true}\n");
        assertThat(post(hold, "release", "").body()).isEqualTo("{\"policy\":\"exports\",\"released\":false}\n");
        assertThat(server.post("/v1/holds/peek", body("alice", "")).body())
                .isEqualTo(
                        "{\"policy\":\"exports\",\"free\":1,\"decidedAt\":\"2026-01-01T00:00:00.000000Z\",\"rules\":["
                                + "{\"rule\":\"global\",\"limit\":3,\"held\":0,\"free\":3},"
                                + "{\"rule\":\"per-user\",\"limit\":1,\"held\":0,\"free\":1}]}\n");
    }

    @Test
    void a_waiting_client_gets_a_permit_when_it_is_released() {
        String hold = takeHold();
        CompletableFuture<HttpResponse<String>> waiting = waiting();
        post(hold, "release", "");
        assertThat(waiting.join().statusCode()).isEqualTo(200);
        assertThat(take("alice", ", \"maxWaitSeconds\": 0.05").statusCode()).isEqualTo(429);
    }

    @Test
    void a_client_that_disconnects_while_it_waits_holds_nothing() {
        String hold = takeHold();
        CompletableFuture<HttpResponse<String>> waiting = waiting();
        waiting.cancel(true);
        post(hold, "release", "");
        Await.until(
                "the permit to be free",
                Duration.ofSeconds(20),
                () -> json(server.post("/v1/holds/peek", body("alice", "")))
                                .get("free")
                                .longValue()
                        == 1);
    }

    /** Sends a request that waits; returns when the server has denied it once. */
    private CompletableFuture<HttpResponse<String>> waiting() {
        CompletableFuture<HttpResponse<String>> waiting = server.client.sendAsync(
                HttpRequest.newBuilder(server.at("/v1/holds"))
                        .version(HttpClient.Version.HTTP_1_1)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body("alice", ", \"maxWaitSeconds\": 10")))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        Await.until(
                "it waits",
                Duration.ofSeconds(20),
                () -> json(server.get("/v1/status"))
                                .get("policies")
                                .get(1)
                                .get("denied")
                                .longValue()
                        > 0);
        return waiting;
    }

    @Test
    void other_methods_than_post_are_405() {
        HttpResponse<String> response = server.get("/v1/holds");
        assertThat(response.statusCode()).isEqualTo(405);
        assertThat(response.headers().firstValue("allow")).hasValue("POST");
    }

    @Test
    void a_ticket_of_another_policy_is_refused() {
        HttpResponse<String> response = post("AQAAAAAAAAABAAAAAAAAAAIBAB________8AAAAAAAAAAA", "renew", "");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("the ticket is of no rule of policy exports");
    }
}
