package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.limits.Attributes;
import io.headgate.limits.Fallback;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.server.ProxyProcess;
import io.headgate.server.TestServer;
import io.headgate.server.serve.Counts;
import io.headgate.server.serve.Engine;
import io.headgate.server.serve.HeadgateServer;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * What every proxy must do with its example file, the real proxy between a real client and a real Headgate.
 *
 * <p>All tests of a proxy share one of each, which forget what was before; but for those in which one of them goes.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ProxyContract {

    private static final Policy API = Policy.named("api")
            .rule("per-user", Limit.slidingWindow(3, Duration.ofMinutes(1)), Attributes.USER)
            .rule("per-ip", Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.IP)
            .build();

    private final TestServer headgate = new TestServer(API);
    private final Upstream app = startApp();

    @SuppressWarnings("NullAway.Init") // set before the first test
    private ProxyProcess proxy;

    /**
     * Starts the proxy with its example file, its addresses replaced by these; skips the test where it is missing.
     *
     * @param folder an empty one, for its files
     */
    abstract ProxyProcess start(Path folder, String headgateAddress, String appAddress) throws IOException;

    /** What the client gets while the example names a policy that Headgate does not have, as docs/server.md says. */
    abstract int statusOfUnknownPolicy();

    @BeforeAll
    void startProxy(@TempDir Path folder) throws IOException {
        proxy = start(folder, headgate.address(), app.address());
    }

    @BeforeEach
    void forget() {
        headgate.forget();
        app.forget();
    }

    @AfterAll
    void stop() {
        if (proxy != null) {
            proxy.close();
        }
        app.close();
        headgate.close();
    }

    @Test
    void allowed_requests_reach_the_application_and_the_next_is_429_with_retry_after_and_a_problem() {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> allowed = get("/orders?page=" + i, "X-Api-Key", "alice");
            assertThat(allowed.statusCode()).isEqualTo(200);
            assertThat(allowed.body()).isEqualTo("from the application");
        }

        HttpResponse<String> denied = get("/orders", "X-Api-Key", "alice");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValue("Retry-After")).contains("60");
        assertThat(denied.headers().firstValue("RateLimit"))
                .hasValueSatisfying(field -> assertThat(field).contains("\"per-user\";r=0;t=60"));
        assertThat(denied.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(denied.body()).contains("#quota-exceeded", "\"status\":429");
        assertThat(app.received()).containsExactly("GET /orders?page=0", "GET /orders?page=1", "GET /orders?page=2");
        assertThat(get("/orders", "X-Api-Key", "bob").statusCode()).isEqualTo(200);
    }

    @Test
    void a_client_can_choose_neither_its_user_nor_its_address_nor_its_permits() {
        for (int i = 0; i < 3; i++) {
            assertThat(get("/", "X-Api-Key", "alice").statusCode()).isEqualTo(200);
        }

        assertThat(get("/?user=mallory", "X-Api-Key", "alice", "Headgate-User", "mallory")
                        .statusCode())
                .isEqualTo(429);
        assertThat(get("/?deny=500&permits=0", "X-Api-Key", "alice", "Headgate-Permits", "0")
                        .statusCode())
                .isEqualTo(429);
        assertThat(get("/", "X-Api-Key", "alice", "headgate-user", "mallory", "Headgate-User", "m")
                        .statusCode())
                .isEqualTo(429);
        for (int i = 0; i < 10; i++) {
            get("/", "X-Api-Key", "user-" + i, "Headgate-Ip", "192.0.2." + i);
        }
        HttpResponse<String> byAddress = get("/", "X-Api-Key", "another", "Headgate-Ip", "192.0.2.99");
        assertThat(byAddress.statusCode()).isEqualTo(429);
        assertThat(byAddress.headers().firstValue("RateLimit"))
                .hasValueSatisfying(field -> assertThat(field).contains("\"per-ip\";r=0"));
    }

    @Test
    void a_client_can_not_have_the_fields_of_its_check_taken_away() throws IOException {
        // Fields that Connection names end at the next hop, which must take the client's and not those that it sets.
        String hop = "Connection: Headgate-User, Headgate-Ip, close\r\nX-Api-Key: alice";
        for (int i = 0; i < 3; i++) {
            assertThat(statusOfRaw(hop)).isEqualTo(200);
        }

        assertThat(statusOfRaw(hop)).isEqualTo(429);
        assertThat(statusOfRaw(hop + "\r\nHeadgate-User: mallory\r\nHeadgate_User: mallory"))
                .isEqualTo(429);
        assertThat(app.received()).hasSize(3);
    }

    @Test
    void a_client_without_a_key_is_limited_as_anonymous() {
        for (int i = 0; i < 3; i++) {
            assertThat(get("/").statusCode()).isEqualTo(200);
        }

        assertThat(get("/").statusCode()).isEqualTo(429);
    }

    @Test
    void a_body_reaches_the_application_once_and_whole() {
        String body = "x".repeat(100_000);

        HttpResponse<String> answer = headgate.send(HttpRequest.newBuilder(proxy.at("/orders"))
                .header("X-Api-Key", "alice")
                .POST(HttpRequest.BodyPublishers.ofString(body)));

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(app.received()).containsExactly("POST /orders " + body);
    }

    @Test
    void a_websocket_is_checked_like_any_request_and_reaches_the_application() {
        for (int i = 0; i < 3; i++) {
            assertThat(statusOfWebSocket("/socket", "alice")).isEqualTo(101);
        }
        assertThat(statusOfWebSocket("/socket", "alice")).isEqualTo(429);
        assertThat(app.received()).containsExactly("GET /socket", "GET /socket", "GET /socket");
    }

    @Test
    void a_key_with_bytes_that_no_field_may_have_is_limited_or_refused_and_not_an_error() throws IOException {
        for (int i = 0; i < 3; i++) {
            assertThat(statusOfRaw("X-Api-Key: a\u0001b" + i)).isIn(200, 400);
        }
        assertThat(statusOfRaw("X-Api-Key: a\u0001b")).isIn(429, 400);
        app.forget();
        for (int i = 0; i < 3; i++) {
            assertThat(statusOfRaw("X-Api-Key: \u00ff")).isEqualTo(200);
        }
        assertThat(app.received()).hasSize(3);
    }

    @Test
    void a_policy_that_headgate_does_not_know_is_no_way_through(@TempDir Path folder) throws IOException {
        try (TestServer other = new TestServer(TestServer.AGENTS);
                ProxyProcess before = start(folder, other.address(), app.address())) {
            assertThat(get(before.at("/"), "X-Api-Key", "alice").statusCode()).isEqualTo(statusOfUnknownPolicy());
            assertThat(app.received()).isEmpty();
        }
    }

    @Test
    void an_error_of_the_application_is_its_own_and_is_not_tried_again() {
        HttpResponse<String> answer = headgate.send(HttpRequest.newBuilder(proxy.at("/busy"))
                .header("X-Api-Key", "alice")
                .POST(HttpRequest.BodyPublishers.ofString("order")));

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).isEqualTo("from the application");
        assertThat(app.received()).containsExactly("POST /busy order");
    }

    /**
     * Of requests that come at once, the server holds the one that has k before it for k times the spacing. So within k
     * spacings of the start at most k can have arrived; how late each comes beyond that is not promised.
     */
    @Test
    void requests_that_come_at_once_reach_the_application_no_faster_than_a_shaper_lets_them(@TempDir Path folder)
            throws IOException {
        Duration spacing = Duration.ofMillis(200);
        Policy shaped = Policy.named("api")
                .rule("per-user", Limit.leakyBucket(4, 1, spacing).shaper(), Attributes.USER)
                .build();
        try (TestServer other = new TestServer(shaped);
                ProxyProcess before = start(folder, other.address(), app.address())) {
            long start = System.nanoTime();
            List<CompletableFuture<Integer>> statuses = Stream.generate(
                            () -> HttpRequest.newBuilder(before.at("/orders"))
                                    .header("X-Api-Key", "alice")
                                    .timeout(Duration.ofSeconds(20))
                                    .build())
                    .limit(5)
                    .map(request -> other.client
                            .sendAsync(request, HttpResponse.BodyHandlers.discarding())
                            .thenApply(HttpResponse::statusCode))
                    .toList();

            assertThat(statuses.stream().map(CompletableFuture::join))
                    .as("the fifth finds the queue full")
                    .containsExactlyInAnyOrder(200, 200, 200, 200, 429);
            List<Long> arrivals = app.arrivals();
            assertThat(arrivals).hasSize(4);
            for (int k = 0; k < arrivals.size(); k++) {
                assertThat(Duration.ofNanos(arrivals.get(k) - start)).isGreaterThanOrEqualTo(spacing.multipliedBy(k));
            }
        }
    }

    @Test
    void while_headgate_is_down_requests_pass(@TempDir Path folder) throws IOException {
        try (TestServer other = new TestServer(API);
                ProxyProcess before = start(folder, other.address(), app.address())) {
            other.server.close();

            HttpResponse<String> answer = other.send(HttpRequest.newBuilder(before.at("/orders"))
                    .header("X-Api-Key", "alice")
                    .POST(HttpRequest.BodyPublishers.ofString("order")));

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(app.received()).containsExactly("POST /orders order");
        }
    }

    @Test
    void while_headgate_can_not_ask_its_redis_requests_pass(@TempDir Path folder) throws IOException {
        Counts counts = new Counts(Policies.of(List.of(API)));
        try (RedisServer redis = RedisServer.startOwn();
                Engine engine = Engine.redis(redis.url(), "hg", Duration.ofMillis(500), Fallback.none(), counts);
                HeadgateServer onRedis = HeadgateServer.start(
                        TestServer.settings(Duration.ZERO), engine, Policies.of(List.of(API)), counts);
                ProxyProcess before =
                        start(folder, "127.0.0.1:" + onRedis.address().getPort(), app.address())) {
            assertThat(get(before.at("/first"), "X-Api-Key", "alice").statusCode())
                    .isEqualTo(200);

            Leftovers.in(redis.url()).requireNone();
            redis.kill();

            assertThat(get(before.at("/second"), "X-Api-Key", "alice").statusCode())
                    .isEqualTo(200);
            assertThat(app.received()).containsExactly("GET /first", "GET /second");
        }
    }

    private int statusOfWebSocket(String path, String key) {
        URI address = URI.create(proxy.at(path).toString().replace("http:", "ws:"));
        try {
            headgate.client
                    .newWebSocketBuilder()
                    .header("X-Api-Key", key)
                    .buildAsync(address, new WebSocket.Listener() {})
                    .join()
                    .abort();
            return 101;
        } catch (CompletionException e) {
            if (e.getCause() instanceof WebSocketHandshakeException refused) {
                return refused.getResponse().statusCode();
            }
            throw e;
        }
    }

    /** Of a request with fields that the JDK's client does not send; each char is a byte. */
    private int statusOfRaw(String fields) throws IOException {
        try (Socket socket = new Socket(proxy.at("/").getHost(), proxy.at("/").getPort())) {
            String request = "GET / HTTP/1.1\r\nHost: " + proxy.at("/").getAuthority() + "\r\nConnection: close\r\n"
                    + fields + "\r\n\r\n";
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            return Integer.parseInt(answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
        }
    }

    final HttpResponse<String> get(String path, String... fields) {
        return get(proxy.at(path), fields);
    }

    private HttpResponse<String> get(URI address, String... fields) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address);
        for (int i = 0; i < fields.length; i += 2) {
            request.header(fields[i], fields[i + 1]);
        }
        return headgate.send(request);
    }

    private static Upstream startApp() {
        try {
            return new Upstream();
        } catch (IOException e) {
            throw new IllegalStateException("the application can't start", e);
        }
    }
}
