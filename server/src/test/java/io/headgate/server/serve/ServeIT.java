package io.headgate.server.serve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.ServerProcess;
import io.headgate.server.TimedAttempt;
import io.headgate.testkit.Await;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * {@code headgate serve} as a process: its log, its responses, and its end.
 *
 * <p>Each test mostly waits for its own processes, so the tests run in parallel.
 */
class ServeIT {

    private static final String LISTENS = "listening on (http://\\S+)";

    /** The default of the server, which no option changes. */
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path policies;

    @BeforeEach
    void writePolicies() throws IOException {
        policies = folder.resolve("policies.yaml");
        writeWindow("1m");
    }

    private void writeWindow(String window) throws IOException {
        Files.writeString(policies, """
                policies:
                  api:
                    rules:
                      per-user:
                        by: user
                        sliding-window: { permits: 2, window: %s }
                """.formatted(window));
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void the_log_has_the_store_the_address_and_a_curl_command_that_works() throws Exception {
        try (ServerProcess server = serve()) {
            server.awaitLine("store: memory of this process, not shared .limits: healthy.$");
            server.awaitLine("policy api: per-user: 2 permits in any minute, by user");
            String address = server.awaitLine(LISTENS);
            URI suggested = URI.create(server.awaitLine("try: curl -i '(.*)'"));

            assertThat(suggested.toString()).isEqualTo(address + "/check/api?user=alice");
            assertThat(status(suggested)).isEqualTo(200);
            assertThat(status(suggested)).isEqualTo(200);
            assertThat(status(suggested)).isEqualTo(429);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void on_sigterm_the_server_is_not_ready_continues_for_the_drain_delay_and_exits_with_0() throws Exception {
        TimedAttempt.run(Duration.ofSeconds(5), attempt -> {
            try (ServerProcess server = serve("--drain-delay", "5s")) {
                String address = server.awaitLine(LISTENS);
                assertThat(status(URI.create(address + "/readyz"))).isEqualTo(200);

                attempt.start();
                server.terminate();
                server.awaitLine("stopping: /readyz returns 503");

                assertThat(status(URI.create(address + "/readyz"))).isEqualTo(503);
                assertThat(status(URI.create(address + "/healthz"))).isEqualTo(200);
                assertThat(status(URI.create(address + "/check/api?user=bob"))).isEqualTo(200);
                attempt.stop();
                assertThat(server.awaitExit()).isZero();
                server.awaitLine("stopped$");
            }
        });
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void a_request_in_flight_at_sigterm_is_finished() throws Exception {
        String body = "{\"policy\": \"api\", \"attributes\": {\"user\": \"alice\"}}";
        TimedAttempt.run(REQUEST_TIMEOUT, attempt -> {
            try (ServerProcess server = serve("--drain-delay", "0s")) {
                URI address = URI.create(server.awaitLine(LISTENS));
                try (Socket socket = new Socket(address.getHost(), address.getPort())) {
                    socket.setSoTimeout(60_000);
                    String head = "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                            + "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n";
                    attempt.start();
                    socket.getOutputStream().write(head.getBytes(UTF_8));
                    byte[] interim = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(UTF_8);
                    assertThat(socket.getInputStream().readNBytes(interim.length))
                            .isEqualTo(interim);

                    server.terminate();
                    server.awaitLine("finishes those in flight");
                    socket.getOutputStream().write(body.getBytes(UTF_8));

                    String response = new String(socket.getInputStream().readAllBytes(), UTF_8);
                    attempt.stop();
                    assertThat(response).startsWith("HTTP/1.1 200 ").contains("\"allowed\":true");
                }
                assertThat(server.awaitExit()).isZero();
            }
        });
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void a_request_that_takes_three_seconds_after_sigterm_is_finished() throws Exception {
        Files.writeString(policies, """
                policies:
                  api:
                    rules:
                      slow:
                        leaky-bucket: { capacity: 2, leak: 1 per 3s, mode: shaper }
                """);
        try (ServerProcess server = serve("--drain-delay", "0s")) {
            String address = server.awaitLine(LISTENS);
            URI check = URI.create(address + "/check/api?hold=4s");
            assertThat(status(check)).isEqualTo(200);
            CompletableFuture<HttpResponse<String>> second = client.sendAsync(
                    HttpRequest.newBuilder(check)
                            .timeout(Duration.ofSeconds(60))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            Await.until(
                    "the second request to be in flight",
                    Duration.ofSeconds(60),
                    () -> get(URI.create(address + "/v1/status")).body().contains("\"allowed\":2"));

            server.terminate();

            assertThat(second.join().statusCode()).isEqualTo(200);
            assertThat(server.awaitExit()).isZero();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void two_servers_on_one_redis_share_one_count() throws Exception {
        try (RedisServer redis = RedisServer.startOwn();
                ServerProcess one = serve("--redis", redis.url(), "--redis-timeout", "4s", "--fallback", "none");
                ServerProcess two = serve("--redis", redis.url(), "--redis-timeout", "4s", "--fallback", "none")) {
            one.awaitLine("store: Redis at redis://127.0.0.1:" + redis.port() + " .limits: healthy, queues: healthy.$");
            String first = one.awaitLine(LISTENS);
            String second = two.awaitLine(LISTENS);

            assertThat(status(URI.create(first + "/check/api?user=alice"))).isEqualTo(200);
            assertThat(status(URI.create(second + "/check/api?user=alice"))).isEqualTo(200);
            assertThat(status(URI.create(first + "/check/api?user=alice"))).isEqualTo(429);
            assertThat(status(URI.create(second + "/check/api?user=alice"))).isEqualTo(429);
            Leftovers.in(redis.url()).requireNone();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void while_redis_is_down_the_local_share_decides_and_its_usage_is_charged_later() throws Exception {
        writeWindow("1h");
        try (RedisServer redis = RedisServer.startOwn();
                ServerProcess server = serve("--redis", redis.url(), "--redis-timeout", "4s", "--budget", "2s")) {
            String address = server.awaitLine(LISTENS);
            URI ready = URI.create(address + "/readyz");
            URI check = URI.create(address + "/check/api?user=alice");
            URI other = URI.create(address + "/check/api?user=bob");

            redis.kill();

            Await.until("degraded", Duration.ofSeconds(60), () -> {
                assertThat(status(other)).isIn(200, 429);
                return String.join("\n", server.output()).contains(" is degraded, was ");
            });
            assertThat(status(check)).isEqualTo(200);
            assertThat(status(ready)).isEqualTo(200);
            assertThat(get(ready).body()).contains("does not reply, and fallbacks decide");
            String status = get(URI.create(address + "/v1/status")).body();
            assertThat(status)
                    .contains("\"health\":{\"limits\":\"degraded\",\"queues\":\"unavailable\"}")
                    .containsPattern("\"byFallback\":[1-9]");

            redis.restart();

            Await.until("ready again", Duration.ofSeconds(60), () -> get(ready)
                    .body()
                    .equals("ready\n"));
            server.awaitLine(" is healthy, was probing");
            assertThat(server.output()).as("no stack traces").noneMatch(line -> line.startsWith("\tat "));
            assertThat(status(check)).isEqualTo(200);
            assertThat(status(check)).isEqualTo(429);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void without_fallbacks_the_server_is_alive_not_ready_and_returns_503_while_redis_is_down() throws Exception {
        try (RedisServer redis = RedisServer.startOwn();
                ServerProcess server = serve("--redis", redis.url(), "--redis-timeout", "4s", "--fallback", "none")) {
            String address = server.awaitLine(LISTENS);
            URI ready = URI.create(address + "/readyz");
            URI check = URI.create(address + "/check/api?user=alice");
            assertThat(status(ready)).isEqualTo(200);

            redis.kill();

            Await.until("not ready", Duration.ofSeconds(60), () -> status(ready) == 503);
            HttpResponse<String> response = get(check);
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
            assertThat(response.body()).contains("the limits are unavailable").doesNotContain("Exception", "\\n");
            assertThat(get(ready).body()).contains("Redis at redis://127.0.0.1:" + redis.port() + " does not reply");
            assertThat(status(URI.create(address + "/healthz"))).isEqualTo(200);
            assertThat(status(URI.create(address + "/"))).isEqualTo(200);

            redis.restart();

            Await.until("ready again", Duration.ofSeconds(60), () -> status(ready) == 200);
            assertThat(status(check)).isEqualTo(200);
            Leftovers.in(redis.url()).requireNone();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void invalid_policies_exit_with_2_and_the_place_of_each_problem() throws Exception {
        Files.writeString(policies, "policies:\n  api:\n    rulez: {}\n");

        try (ServerProcess server = serve()) {
            assertThat(server.awaitExit()).isEqualTo(2);
            assertThat(server.awaitLine("headgate: .*policies.yaml:3:5")).contains("rulez");
            assertThat(String.join("\n", server.output())).doesNotContain("Exception");
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void a_dimension_with_the_name_of_a_parameter_is_rejected() throws Exception {
        Files.writeString(policies, Files.readString(policies).replace("by: user", "by: permits"));

        try (ServerProcess server = serve()) {
            assertThat(server.awaitExit()).isEqualTo(2);
            server.awaitLine("headgate: policy api counts by permits, .*; rename that dimension");
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void a_port_in_use_exits_with_1_and_is_named() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerProcess server = ServerProcess.start(
                        "serve", "--policies", policies.toString(), "--port", Integer.toString(other.getLocalPort()))) {
            assertThat(server.awaitExit()).isEqualTo(1);
            server.awaitLine(
                    "headgate: port " + other.getLocalPort() + " is in use at 127.0.0.1; choose another with --port");
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void an_unknown_fallback_exits_with_2_and_the_known_ones_are_listed() throws Exception {
        try (ServerProcess server = serve("--redis", "redis://127.0.0.1:1", "--fallback", "half")) {
            assertThat(server.awaitExit()).isEqualTo(2);
            server.awaitLine("headgate: --fallback must be local, open, closed or none, was half");
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void a_redis_that_starts_after_the_server_is_used_and_until_then_the_local_share_decides() throws Exception {
        writeWindow("1h");
        try (RedisServer redis = RedisServer.startOwn()) {
            redis.kill();
            // This server has one of two permits.
            try (ServerProcess server =
                    serve("--redis", redis.url(), "--instances", "2", "--redis-timeout", "4s", "--budget", "2s")) {
                server.awaitLine("WARN .*" + redis.url() + " is degraded, was healthy: can't connect");
                String address = server.awaitLine(LISTENS);
                URI ready = URI.create(address + "/readyz");
                URI check = URI.create(address + "/check/api?user=alice");
                assertThat(status(check)).isEqualTo(200);
                assertThat(status(check)).isEqualTo(429);
                assertThat(get(ready).body()).contains("does not reply, and fallbacks decide");
                assertThat(status(ready)).isEqualTo(200);
                assertThat(status(URI.create(address + "/v1/queues"))).isEqualTo(503);

                redis.restart();

                server.awaitLine(" is healthy, was probing");
                Await.until(
                        "ready", Duration.ofSeconds(60), () -> get(ready).body().equals("ready\n"));
                assertThat(status(check)).isEqualTo(200);
                assertThat(status(check)).isEqualTo(429);
                Await.until("queues", Duration.ofSeconds(60), () -> status(URI.create(address + "/v1/queues")) == 200);
            }
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void without_fallbacks_a_redis_that_does_not_reply_at_the_start_exits_with_1() throws Exception {
        try (ServerProcess server = serve("--redis", "redis://:secret@127.0.0.1:1", "--fallback", "none")) {
            assertThat(server.awaitExit()).isEqualTo(1);
            server.awaitLine("headgate: connect redis://127.0.0.1:1: ");
            assertThat(String.join("\n", server.output()))
                    .doesNotContain("secret", "\tat ", "finishConnect", "error(-");
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void an_invalid_redis_url_exits_with_2_and_is_not_repeated() throws Exception {
        try (ServerProcess server = serve("--redis", "http://:secret@127.0.0.1")) {
            assertThat(server.awaitExit()).isEqualTo(2);
            server.awaitLine("headgate: --redis must be redis://");
            assertThat(String.join("\n", server.output())).doesNotContain("secret");
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void keys_above_max_keys_are_evicted() throws Exception {
        Files.writeString(policies, Files.readString(policies).replace("permits: 2", "permits: 1"));
        try (ServerProcess server = serve("--max-keys", "1024")) {
            URI address = URI.create(server.awaitLine(LISTENS));
            assertThat(admitted(address, 1500)).isEqualTo(1500);
            assertThat(status(URI.create(address + "/check/api?user=1499"))).isEqualTo(429);

            assertThat(admitted(address, 1500)).isGreaterThanOrEqualTo(1500 - 1024);
        }
    }

    /** Sends one check for each user, and returns how many are admitted. */
    private static int admitted(URI address, int users) throws IOException {
        StringBuilder checks = new StringBuilder();
        for (int i = 0; i < users; i++) {
            checks.append("GET /check/api?user=").append(i).append(" HTTP/1.1\r\nHost: localhost\r\n");
            checks.append(i == users - 1 ? "Connection: close\r\n\r\n" : "\r\n");
        }
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.setSoTimeout(60_000);
            CompletableFuture<String> responses = CompletableFuture.supplyAsync(() -> readAll(socket));
            socket.getOutputStream().write(checks.toString().getBytes(UTF_8));
            return responses.join().split("HTTP/1.1 200 ", -1).length - 1;
        }
    }

    private static String readAll(Socket socket) {
        try {
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void a_key_that_another_program_has_written_is_shown_in_the_status() throws Exception {
        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe probe = RedisProbe.of(redis.url());
                ServerProcess server = serve("--redis", redis.url())) {
            String address = server.awaitLine(LISTENS);
            URI status = URI.create(address + "/v1/status");
            probe.command("SET", "hg:sw:api:per-user:alice", "hello");
            assertThat(status(URI.create(address + "/check/api?user=bob"))).isEqualTo(200);
            assertThat(get(status).body()).doesNotContain("\"problem\"");

            Await.until("the key to be read", Duration.ofSeconds(60), () -> {
                get(URI.create(address + "/check/api?user=alice"));
                return get(status)
                        .body()
                        .contains(
                                "\"problem\":\"hg:sw:api:per-user:alice holds something that Headgate did not store; find which"
                                        + " program writes it, then remove it (DEL hg:sw:api:per-user:alice) or give Headgate"
                                        + " another key prefix\"");
            });
            assertThat(get(status).body()).contains("\"health\":{\"limits\":\"healthy\",");
        }
    }

    private ServerProcess serve(String... more) throws IOException {
        String[] arguments = new String[5 + more.length];
        System.arraycopy(new String[] {"serve", "--policies", policies.toString(), "--port", "0"}, 0, arguments, 0, 5);
        System.arraycopy(more, 0, arguments, 5, more.length);
        return ServerProcess.start(arguments);
    }

    private int status(URI address) {
        return get(address).statusCode();
    }

    private HttpResponse<String> get(URI address) {
        try {
            return client.send(
                    HttpRequest.newBuilder(address)
                            .timeout(Duration.ofSeconds(60))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError("no response from " + address, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
