package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.limits.Attributes;
import io.headgate.limits.Fallback;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.server.ProxyProcess;
import io.headgate.server.ServerProcess;
import io.headgate.server.TestServer;
import io.headgate.server.serve.Counts;
import io.headgate.server.serve.Engine;
import io.headgate.server.serve.HeadgateServer;
import io.headgate.testkit.Await;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The tests that each proxy passes with its example file. A real proxy receives the requests of a real client, and checks each at a real
 * Headgate.
 *
 * <p>The tests share one proxy, one Headgate and one application. Before each test, the counts of Headgate and the records of the
 * application are reset. A test that stops or configures one of the three starts its own.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ProxyContract {

    private static final Policy API = Policy.named("api")
            .rule("per-user", Limit.slidingWindow(3, Duration.ofMinutes(1)), Attributes.USER)
            .rule("per-ip", Limit.slidingWindow(10, Duration.ofMinutes(1)), Attributes.IP)
            .build();

    private final TestServer headgate = new TestServer(API);
    final Upstream app = startApp();

    @SuppressWarnings("NullAway.Init") // set before the first test
    private ProxyProcess proxy;

    /**
     * Starts the proxy with its example file, in which these addresses replace those of the example.
     *
     * @param folder an empty folder for the files of the proxy
     * @param headgates the addresses of the servers
     */
    abstract ProxyProcess start(Path folder, List<String> headgates, String appAddress) throws IOException;

    private ProxyProcess start(Path folder, String headgate, String appAddress) throws IOException {
        return start(folder, List.of(headgate), appAddress);
    }

    /** Returns whether the configuration of the proxy can detect that a client sends a field twice; otherwise it sees only the first. */
    abstract boolean seesDoubledFields() throws IOException;

    /** The status of a client request while the example names an unknown policy, as docs/proxies.md documents it. */
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
    void a_client_cannot_remove_the_fields_of_its_check() throws IOException {
        // A proxy removes the fields that Connection names: those of the client, not those that it sets itself.
        String hop = "Connection: Headgate-User, Headgate-Ip, close\r\nX-Api-Key: alice";
        for (int i = 0; i < 3; i++) {
            assertThat(statusOfRaw(hop)).isEqualTo(200);
        }

        assertThat(statusOfRaw(hop)).isEqualTo(429);
        assertThat(statusOfRaw(hop + "\r\nHeadgate-User: mallory\r\nHeadgate_User: mallory"))
                .isEqualTo(429);
        assertThat(app.received()).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Api-Key: victim,r", "X-Api-Key: ,victim", "X-Api-Key: victim,"})
    void a_key_that_is_joined_by_a_comma_is_400_and_does_not_reach_the_application(String fields) throws IOException {
        assertThat(statusOfRaw(fields)).isEqualTo(400);
        assertThat(app.received()).isEmpty();
        assertThat(headgate.remaining("api", "victim")).isEqualTo(3);
    }

    @Test
    void a_second_key_neither_escapes_the_limit_nor_reaches_the_application() throws IOException {
        for (int i = 0; i < 5; i++) {
            int status = statusOfRaw("X-Api-Key: victim\r\nX-Api-Key: r" + i);
            assertThat(status).isEqualTo(seesDoubledFields() ? 400 : i < 3 ? 200 : 429);
            assertThat(app.fields("X-Api-Key")).isEqualTo(seesDoubledFields() ? List.of() : List.of("victim"));
        }
        assertThat(statusOfRaw("X-Api-Key:\r\nX-Api-Key: other")).isEqualTo(seesDoubledFields() ? 400 : 200);
        assertThat(headgate.remaining("api", "other")).isEqualTo(3);
        assertThat(app.fields("X-Api-Key")).doesNotContain("other");
    }

    @Test
    void the_application_gets_the_key_that_was_counted_and_no_headgate_fields_of_the_client() throws IOException {
        assertThat(statusOfRaw("x-API-key:   alice  \r\nHeadgate-User: mallory\r\nHeadgate-Ip: 192.0.2.1\r\n"
                        + "headgate-delay: 7\r\nHeadgate_User: mallory"))
                .isEqualTo(200);

        assertThat(headgate.remaining("api", "alice")).isEqualTo(2);
        assertThat(app.fields("X-Api-Key")).containsExactly("alice");
        assertThat(List.of("Headgate-User", "Headgate-Ip", "Headgate-Delay", "Headgate_user"))
                .allSatisfy(field -> assertThat(app.fields(field)).as(field).isEmpty());
    }

    @Test
    void a_visitor_who_follows_a_link_from_another_site_passes() throws IOException {
        assertThat(statusOfRaw("X-Api-Key: alice\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"
                        + "Referer: https://other.example/\r\nOrigin: https://other.example"))
                .isEqualTo(200);

        assertThat(headgate.remaining("api", "alice")).isEqualTo(2);
        assertThat(app.fields("Sec-Fetch-Site"))
                .as("the application still receives this field")
                .containsExactly("cross-site");
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

        HttpResponse<String> response = headgate.send(HttpRequest.newBuilder(proxy.at("/orders"))
                .header("X-Api-Key", "alice")
                .POST(HttpRequest.BodyPublishers.ofString(body)));

        assertThat(response.statusCode()).isEqualTo(200);
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
            assertThat(statusOfRaw("X-Api-Key: a\u0001b")).isIn(200, 400);
        }
        assertThat(statusOfRaw("X-Api-Key: a\u0001b")).isIn(429, 400);
        app.forget();
        for (int i = 0; i < 3; i++) {
            assertThat(statusOfRaw("X-Api-Key: \u00ff")).isEqualTo(200);
        }
        assertThat(statusOfRaw("X-Api-Key: \u00ff")).isEqualTo(429);
        assertThat(app.received()).hasSize(3);
    }

    @Test
    void an_unknown_policy_lets_no_request_through(@TempDir Path folder) throws IOException {
        try (TestServer other = new TestServer(TestServer.AGENTS);
                ProxyProcess before = start(folder, other.address(), app.address())) {
            assertThat(get(before.at("/"), "X-Api-Key", "alice").statusCode()).isEqualTo(statusOfUnknownPolicy());
            assertThat(app.received()).isEmpty();
        }
    }

    @Test
    void an_error_of_the_application_is_forwarded_and_not_retried() {
        HttpResponse<String> response = headgate.send(HttpRequest.newBuilder(proxy.at("/busy"))
                .header("X-Api-Key", "alice")
                .POST(HttpRequest.BodyPublishers.ofString("order")));

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.body()).isEqualTo("from the application");
        assertThat(app.received()).containsExactly("POST /busy order");
    }

    /**
     * The server delays a request by the spacing times the number of requests before it. So at most k requests arrive within k spacings
     * of the start. How much later each request arrives is not guaranteed.
     */
    @Test
    void concurrent_requests_reach_the_application_no_faster_than_the_shaper_allows(@TempDir Path folder)
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
                                    .timeout(Duration.ofSeconds(60))
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

    /**
     * Two servers count in one Redis. They are restarted one after the other while clients send requests. Every request reaches the
     * application, and each is counted once.
     */
    @Test
    void during_a_rolling_restart_every_request_passes_and_is_counted_once(@TempDir Path folder) throws Exception {
        Path policies = Files.writeString(folder.resolve("policies.yaml"), """
                policies:
                  api:
                    rules:
                      per-user:
                        by: user
                        fixed-window: { permits: 1000000, window: 1h, align: first-request }
                """);
        int[] ports = {ProxyProcess.freePort(), ProxyProcess.freePort()};
        ServerProcess[] servers = new ServerProcess[ports.length];
        try (RedisServer redis = RedisServer.startOwn()) {
            for (int i = 0; i < ports.length; i++) {
                servers[i] = serve(policies, redis, ports[i]);
            }
            List<String> addresses =
                    Arrays.stream(ports).mapToObj(port -> "127.0.0.1:" + port).toList();
            try (ProxyProcess before = start(folder, addresses, app.address())) {
                AtomicBoolean over = new AtomicBoolean();
                List<CompletableFuture<List<Integer>>> clients = Stream.generate(
                                () -> CompletableFuture.supplyAsync(() -> statusesUntil(over, before.at("/orders"))))
                        .limit(3)
                        .toList();
                for (int i = 0; i < ports.length; i++) {
                    servers[i].terminate();
                    assertThat(servers[i].awaitExit()).isZero();
                    servers[i] = serve(policies, redis, ports[i]);
                    int passed = app.received().size();
                    Await.until(
                            "more requests",
                            Duration.ofSeconds(60),
                            () -> app.received().size() > passed + 50);
                }
                over.set(true);
                List<Integer> statuses = clients.stream()
                        .flatMap(client -> client.join().stream())
                        .toList();
                assertThat(statuses).isNotEmpty().containsOnly(200);
                assertThat(app.received()).hasSameSizeAs(statuses);
            }
            HttpResponse<String> last = headgate.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports[0] + "/check/api?user=alice")));
            assertThat(last.headers().firstValueAsLong("X-RateLimit-Remaining"))
                    .as("one permit for each request that the application received, and for this check")
                    .hasValue(1_000_000 - app.received().size() - 1);
        } finally {
            for (ServerProcess server : servers) {
                if (server != null) {
                    server.close();
                }
            }
        }
    }

    private static ServerProcess serve(Path policies, RedisServer redis, int port) throws Exception {
        ServerProcess server = ServerProcess.start(
                "serve",
                "--policies",
                policies.toString(),
                "--redis",
                redis.url(),
                "--redis-timeout",
                "4s",
                "--fallback",
                "none",
                "--drain-delay",
                "500ms",
                "--port",
                Integer.toString(port));
        server.awaitLine("listening on");
        return server;
    }

    private List<Integer> statusesUntil(AtomicBoolean over, URI address) {
        List<Integer> statuses = new ArrayList<>();
        while (!over.get()) {
            statuses.add(get(address, "X-Api-Key", "alice").statusCode());
        }
        return statuses;
    }

    @Test
    void while_headgate_is_down_requests_pass(@TempDir Path folder) throws IOException {
        try (TestServer other = new TestServer(API);
                ProxyProcess before = start(folder, other.address(), app.address())) {
            other.server.close();

            HttpResponse<String> response = other.send(HttpRequest.newBuilder(before.at("/orders"))
                    .header("X-Api-Key", "alice")
                    .POST(HttpRequest.BodyPublishers.ofString("order")));

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(app.received()).containsExactly("POST /orders order");
        }
    }

    @Test
    void while_headgate_does_not_reach_its_redis_requests_pass(@TempDir Path folder) throws IOException {
        Counts counts = new Counts();
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

    /** The status of the response to a request with fields that the JDK's client does not send; each char is a byte. */
    final int statusOfRaw(String fields) throws IOException {
        try (Socket socket = new Socket(proxy.at("/").getHost(), proxy.at("/").getPort())) {
            String request = "GET / HTTP/1.1\r\nHost: " + proxy.at("/").getAuthority() + "\r\nConnection: close\r\n"
                    + fields + "\r\n\r\n";
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            String response = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            return Integer.parseInt(response.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
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
