package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.config.Policies;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Fallback;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.Health;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.server.TestServer;
import io.headgate.server.http.BearerToken;
import io.headgate.server.serve.Counts;
import io.headgate.server.serve.Engine;
import io.headgate.server.serve.HeadgateServer;
import io.headgate.server.text.Json;
import io.headgate.testkit.Await;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A receipt is refunded once, also by another server on the same Redis. */
class RefundApiIT {

    private static final String TOKEN = "sixteen-or-more-characters";
    private static final Duration HOUR = Duration.ofHours(1);

    /** No rule of this policy restores permits while the test runs. */
    private static final Policy ALL = Policy.named("all")
            .rule("fixed", new FixedWindow(10, HOUR, FixedWindow.Alignment.FIRST_REQUEST))
            .rule("calendar", Limit.calendarWindow(10, CalendarWindow.Unit.MONTH, ZoneOffset.UTC))
            .rule("sliding", Limit.slidingWindow(10, HOUR))
            .rule("token", Limit.tokenBucket(10, 1, HOUR))
            .rule("leaky", Limit.leakyBucket(10, 1, HOUR))
            .build();

    /** The fastest and the slowest rules. */
    private static final Policy EXTREME = Policy.named("extreme")
            .rule("fast", Limit.tokenBucket(1_000_000_000, 1_000_000_000, Duration.ofMillis(1)))
            .rule("slow", Limit.leakyBucket(1000, 1, Duration.ofDays(3)))
            .rule("uneven", Limit.tokenBucket(999_999_937, 7, Duration.ofNanos(1_999_993_000)))
            .rule("sliding", Limit.slidingWindow(1000, Duration.ofDays(366)))
            .rule("counter", Limit.slidingCounter(1000, HOUR))
            .rule("fixed", Limit.fixedWindow(1000, HOUR))
            .build();

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void a_receipt_for_several_kinds_of_limits_is_refunded_by_another_server() throws Exception {
        Counts counts = new Counts();
        try (RedisServer redis = RedisServer.startOwn();
                Engine first = Engine.redis(redis.url(), "hg", Duration.ofSeconds(4), Fallback.none(), counts);
                Engine second = Engine.redis(redis.url(), "hg", Duration.ofSeconds(4), Fallback.none(), counts);
                HeadgateServer one = start(first, counts);
                HeadgateServer other = start(second, counts)) {
            post(one, "/v1/check", "{\"policy\": \"all\", \"permits\": 2}");
            JsonNode decision = post(one, "/v1/check", "{\"policy\": \"all\", \"permits\": 5}");
            assertThat(decision.get("rules").findValuesAsText("remaining")).containsOnly("3");

            String receipt = decision.get("receipt").asText();
            JsonNode refund = post(other, "/v1/refund", "{\"policy\": \"all\", \"receipt\": \"" + receipt + "\"}");

            assertThat(refund.get("refunded").asInt()).isEqualTo(5);
            JsonNode after = post(one, "/v1/check", "{\"policy\": \"all\", \"permits\": 1}");
            assertThat(after.get("rules").findValuesAsText("remaining")).containsOnly("7");
            Leftovers.in(redis.url()).requireNone();
        }
    }

    /** A client can thus retry a refund whose response was lost or was 503. */
    @Test
    void a_second_refund_of_a_receipt_returns_0_and_leaves_other_charges() throws Exception {
        Counts counts = new Counts();
        try (RedisServer redis = RedisServer.startOwn();
                Engine onRedis = Engine.redis(redis.url(), "hg", Duration.ofSeconds(4), Fallback.none(), counts);
                Engine inMemory = Engine.inMemory(counts)) {
            for (Engine engine : List.of(onRedis, inMemory)) {
                try (HeadgateServer one = start(engine, counts);
                        HeadgateServer other = start(engine, counts)) {
                    JsonNode decision = post(one, "/v1/check", "{\"policy\": \"all\", \"permits\": 2}");
                    String receipt = decision.get("receipt").asText();
                    post(one, "/v1/check", "{\"policy\": \"all\", \"permits\": 5}");
                    String refund = "{\"policy\": \"all\", \"receipt\": \"" + receipt + "\"}";
                    assertThat(send(other, "/v1/refund", refund).body())
                            .isEqualTo("{\"policy\":\"all\",\"refunded\":2}\n");
                    for (HeadgateServer server : List.of(other, one)) {
                        HttpResponse<String> second = send(server, "/v1/refund", refund);
                        assertThat(second.statusCode()).isEqualTo(200);
                        assertThat(second.body()).isEqualTo("{\"policy\":\"all\",\"refunded\":0}\n");
                    }
                    JsonNode after = post(one, "/v1/check", "{\"policy\": \"all\", \"permits\": 1}");
                    assertThat(after.get("rules").findValuesAsText("remaining")).containsOnly("4");
                }
            }
            Leftovers.in(redis.url()).requireNone();
        }
    }

    @Test
    void a_retry_of_a_refund_that_redis_had_run_before_a_503_returns_0() throws Exception {
        Counts counts = new Counts();
        try (RedisServer redis = RedisServer.startOwn();
                FaultProxy proxy = FaultProxy.before(redis.url());
                Engine engine = Engine.redis(proxy.url(), "hg", Duration.ofSeconds(4), Fallback.none(), counts);
                HeadgateServer server = start(engine, counts)) {
            String check = "{\"policy\": \"all\", \"permits\": 2}";
            // Loads the script of the refund into Redis, so that the next refund is one EVALSHA.
            String warm = post(server, "/v1/check", check).get("receipt").asText();
            post(server, "/v1/refund", "{\"policy\": \"all\", \"receipt\": \"" + warm + "\"}");
            String receipt = post(server, "/v1/check", check).get("receipt").asText();
            post(server, "/v1/check", check);
            String refund = "{\"policy\": \"all\", \"receipt\": \"" + receipt + "\"}";

            proxy.cutNextReplyTo("EVALSHA");
            HttpResponse<String> failed = send(server, "/v1/refund", refund);
            assertThat(failed.statusCode()).isEqualTo(503);
            assertThat(failed.body()).contains("a receipt is refunded once, so retry it");

            List<HttpResponse<String>> responses = new ArrayList<>();
            Await.until("a response to the retry", Duration.ofSeconds(30), () -> {
                HttpResponse<String> response = retry(server, "/v1/refund", refund);
                return response.statusCode() == 200 && responses.add(response);
            });
            assertThat(responses.get(0).body()).isEqualTo("{\"policy\":\"all\",\"refunded\":0}\n");
            JsonNode after = post(server, "/v1/check", "{\"policy\": \"all\", \"permits\": 1}");
            assertThat(after.get("rules").findValuesAsText("remaining")).containsOnly("7");
        }
    }

    /** Redis charges the decision later than its receipt states. */
    @Test
    void a_receipt_of_a_local_share_is_refunded_in_redis_by_the_rules_that_find_its_charge() throws Exception {
        Counts counts = new Counts();
        try (RedisServer redis = RedisServer.startOwn();
                FaultProxy proxy = FaultProxy.before(redis.url());
                Engine engine = Engine.redis(proxy.url(), "hg", Duration.ofSeconds(4), Fallback.local(), counts);
                HeadgateServer server = start(engine, counts)) {
            proxy.refuseConnections();
            proxy.cutAll();
            Await.until("degraded", Duration.ofSeconds(30), () -> {
                retry(server, "/v1/check", "{\"policy\": \"extreme\", \"permits\": 1}");
                return engine.health().get() == Health.DEGRADED;
            });
            JsonNode check = post(server, "/v1/check", "{\"policy\": \"all\", \"permits\": 2}");
            assertThat(check.get("basis").asText()).isEqualTo("local-share");
            String refund = "{\"policy\": \"all\", \"receipt\": \""
                    + check.get("receipt").asText() + "\"}";
            assertThat(send(server, "/v1/refund", refund).statusCode()).isEqualTo(503);
            proxy.resume();
            Await.until(
                    "recovered", Duration.ofSeconds(30), () -> engine.health().get() == Health.HEALTHY);
            assertThat(post(server, "/v1/refund", refund).get("refunded").asInt())
                    .isEqualTo(2);
            assertThat(post(server, "/v1/refund", refund).get("refunded").asInt())
                    .isZero();
            JsonNode after = post(server, "/v1/check", "{\"policy\": \"all\", \"permits\": 1}");
            // In the order of the rules: fixed, calendar, sliding, token, leaky. A fixed window that began with the
            // charge, and a
            // sliding window, do not find it; buckets do not refund what they refilled since the decision.
            assertThat(after.get("rules").findValuesAsText("remaining")).containsExactly("7", "9", "7", "8", "8");
        }
    }

    private HttpResponse<String> retry(HeadgateServer server, String path, String body) {
        try {
            return send(server, path, body);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void receipts_of_one_idempotency_key_are_refunded_once() throws Exception {
        Counts counts = new Counts();
        try (RedisServer redis = RedisServer.startOwn();
                Engine engine = Engine.redis(redis.url(), "hg", Duration.ofSeconds(4), Fallback.none(), counts);
                HeadgateServer one = start(engine, counts);
                HeadgateServer other = start(engine, counts)) {
            String check = "{\"policy\": \"all\", \"permits\": 2}";
            String first = receiptOf(one, check, "order-4711");
            String replayed = receiptOf(other, check, "order-4711");
            post(one, "/v1/check", check);
            assertThat(replayed).isEqualTo(first);
            String refund = "{\"policy\": \"all\", \"receipt\": \"" + first + "\"}";
            assertThat(post(one, "/v1/refund", refund).get("refunded").asInt()).isEqualTo(2);
            assertThat(post(other, "/v1/refund", refund).get("refunded").asInt())
                    .isZero();
            // The response is still that of the first request, and its receipt is of the same charge.
            assertThat(receiptOf(other, check, "order-4711")).isEqualTo(first);
        }
    }

    private String receiptOf(HeadgateServer server, String body, String key) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.uri() + "/v1/check"))
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        return Json.MAPPER.readTree(response.body()).get("receipt").asText();
    }

    @Test
    void while_redis_is_down_a_refund_reports_that_nothing_was_refunded() throws Exception {
        Counts counts = new Counts();
        try (RedisServer redis = RedisServer.startOwn();
                Engine engine = Engine.redis(redis.url(), "hg", Duration.ofSeconds(4), Fallback.none(), counts);
                HeadgateServer server = start(engine, counts)) {
            redis.kill();
            Await.until("a failed ping", Duration.ofSeconds(30), () -> engine.ping()
                    .toCompletableFuture()
                    .handle((ok, failure) -> failure != null)
                    .join());
            HttpResponse<String> response = send(server, "/v1/refund", "{\"policy\": \"all\", \"permits\": 1}");
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.body()).contains("the limits are unavailable; no permits were returned");
        }
    }

    /** A client with the token may send any receipt: it gets a response, refunds at most the permits in the receipt, and breaks nothing. */
    @Test
    void forged_receipts_refund_at_most_their_permits_and_later_checks_are_decided() throws Exception {
        Counts counts = new Counts();
        try (RedisServer redis = RedisServer.startOwn();
                Engine onRedis = Engine.redis(redis.url(), "hg", Duration.ofSeconds(4), Fallback.none(), counts);
                Engine inMemory = Engine.inMemory(counts)) {
            for (Engine engine : List.of(onRedis, inMemory)) {
                try (HeadgateServer server = start(engine, counts)) {
                    tryForged(server);
                }
            }
            Leftovers.in(redis.url()).requireNone();
        }
    }

    private void tryForged(HeadgateServer server) throws IOException, InterruptedException {
        long now = System.currentTimeMillis() * 1000;
        // The last time, and the last reset below, are the largest that a receipt may have.
        for (long atMicros :
                new long[] {1, now - 1_000_000, now, now + 1, now + 3_600_000_000L, (1L << 53) - (1L << 49)}) {
            for (long resetMicros : new long[] {0, 1, 999_999, 3_600_000_000L, (1L << 49) - 1}) {
                for (int permits : new int[] {1, 7, 1_000_000_000}) {
                    JsonNode decision = post(server, "/v1/check", "{\"policy\": \"extreme\", \"permits\": 3}");
                    String forged = forged(decision.get("receipt").asText(), atMicros, permits, resetMicros);
                    JsonNode refund =
                            post(server, "/v1/refund", "{\"policy\": \"extreme\", \"receipt\": \"" + forged + "\"}");
                    assertThat(refund.get("refunded").asLong()).isBetween(0L, (long) permits);
                }
            }
        }
        assertThat(post(server, "/v1/check", "{\"policy\": \"extreme\", \"permits\": 3}")
                        .get("allowed")
                        .asBoolean())
                .isTrue();
    }

    /** A receipt with other numbers: the time at byte 1, the permits at 9, and the reset of each rule, four bytes after its start. */
    private static String forged(String receipt, long atMicros, int permits, long resetMicros) {
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(receipt));
        bytes.putLong(1, atMicros).putInt(9, permits);
        for (int rule = 25; rule < bytes.capacity(); rule += 12) {
            bytes.putLong(rule + 4, resetMicros);
        }
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    private static HeadgateServer start(Engine engine, Counts counts) {
        return HeadgateServer.start(
                TestServer.settings(Duration.ZERO, Optional.of(new BearerToken(TOKEN))),
                engine,
                Policies.of(List.of(ALL, EXTREME)),
                counts);
    }

    private JsonNode post(HeadgateServer server, String path, String body) throws IOException, InterruptedException {
        HttpResponse<String> response = send(server, path, body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Json.MAPPER.readTree(response.body());
    }

    private HttpResponse<String> send(HeadgateServer server, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.uri() + path))
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + TOKEN)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
