package io.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Receipts of one server are taken back by another that counts in the same Redis. */
class RefundApiIT {

    private static final String TOKEN = "sixteen-or-more-characters";
    private static final Duration HOUR = Duration.ofHours(1);

    /** No rule gets permits back by itself while the test runs. */
    private static final Policy ALL = Policy.named("all")
            .rule("fixed", new FixedWindow(10, HOUR, FixedWindow.Alignment.FIRST_REQUEST))
            .rule("calendar", Limit.calendarWindow(10, CalendarWindow.Unit.MONTH, ZoneOffset.UTC))
            .rule("sliding", Limit.slidingWindow(10, HOUR))
            .rule("token", Limit.tokenBucket(10, 1, HOUR))
            .rule("leaky", Limit.leakyBucket(10, 1, HOUR))
            .build();

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void a_receipt_is_taken_back_of_every_kind_of_limit_by_any_server() throws Exception {
        Counts counts = new Counts(List.of(ALL));
        try (RedisServer redis = RedisServer.startOwn();
                Engine engine = Engine.redis(redis.url(), "hg", Duration.ofSeconds(4), counts);
                HeadgateServer one = start(engine, counts);
                HeadgateServer other = start(engine, counts)) {
            ask(one, "/v1/check", "{\"policy\": \"all\", \"permits\": 2}");
            JsonNode decision = ask(one, "/v1/check", "{\"policy\": \"all\", \"permits\": 5}");
            assertThat(decision.get("rules").findValuesAsText("remaining")).containsOnly("3");

            String receipt = decision.get("receipt").asText();
            JsonNode refund = ask(other, "/v1/refund", "{\"policy\": \"all\", \"receipt\": \"" + receipt + "\"}");

            assertThat(refund.get("refunded").asInt()).isEqualTo(5);
            JsonNode after = ask(one, "/v1/check", "{\"policy\": \"all\", \"permits\": 1}");
            assertThat(after.get("rules").findValuesAsText("remaining")).containsOnly("7");
            Leftovers.in(redis.url()).requireNone();
        }
    }

    private static HeadgateServer start(Engine engine, Counts counts) {
        return HeadgateServer.start(
                TestServer.settings(Duration.ZERO, Optional.of(new RefundToken(TOKEN))), engine, List.of(ALL), counts);
    }

    private JsonNode ask(HeadgateServer server, String path, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.uri() + path))
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + TOKEN)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Json.MAPPER.readTree(answer.body());
    }
}
