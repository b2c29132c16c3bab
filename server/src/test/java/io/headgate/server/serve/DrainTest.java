package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.server.TestServer;
import io.headgate.server.TimedAttempt;
import io.headgate.testkit.Await;
import io.netty.handler.codec.http2.Http2Exception;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Until its timeout, a graceful shutdown finishes every request that was read, and closes connections only while they are idle. */
class DrainTest {

    /** The shaper delays the second request by an hour, so its response waits for as long as {@code hold} allows. */
    private static final Policy SHAPED = Policy.named("api")
            .rule("per-user", Limit.leakyBucket(3, 1, Duration.ofHours(1)).shaper(), Attributes.USER)
            .build();

    /** The longest time that a response may be delayed. */
    private static final Duration HOLD = Duration.ofSeconds(4);

    private static final Duration LONG = Duration.ofSeconds(60);

    private static final String CHECK = "GET /check/api?user=alice&hold=%s HTTP/1.1\r\nHost: localhost\r\n\r\n";

    @Test
    void a_request_in_flight_for_more_than_a_second_is_finished_and_its_connection_closed() throws Exception {
        TimedAttempt.run(HOLD.minusMillis(1500), attempt -> {
            try (TestServer server = new TestServer(settings(LONG), SHAPED);
                    Socket first = connect(server);
                    Socket second = connect(server)) {
                write(first, CHECK.formatted("0ms"));
                assertThat(head(first)).startsWith("HTTP/1.1 200 ");
                attempt.start();
                write(second, CHECK.formatted(HOLD.toSeconds() + "s"));
                awaitInFlight(server);

                CompletableFuture<Void> drained = CompletableFuture.runAsync(server.server::drain);

                assertThat(first.getInputStream().read())
                        .as("the idle connection")
                        .isEqualTo(-1);
                attempt.stop();
                assertThat(head(second))
                        .startsWith("HTTP/1.1 200 ")
                        .contains("Headgate-Delay:")
                        .containsIgnoringCase("Connection: close");
                drained.join();
            }
        });
    }

    @Test
    void a_request_that_takes_longer_than_the_timeout_is_503_with_retry_after() throws Exception {
        TimedAttempt.run(HOLD, attempt -> {
            try (TestServer server = new TestServer(settings(Duration.ofMillis(200)), SHAPED);
                    Socket first = connect(server);
                    Socket second = connect(server)) {
                write(first, CHECK.formatted("0ms"));
                assertThat(head(first)).startsWith("HTTP/1.1 200 ");
                attempt.start();
                write(second, CHECK.formatted(HOLD.toSeconds() + "s"));
                awaitInFlight(server);

                CompletableFuture<Void> drained = CompletableFuture.runAsync(server.server::drain);

                assertThat(head(second))
                        .startsWith("HTTP/1.1 503 ")
                        .contains("\r\nRetry-After: 1\r\n")
                        .contains("\r\nContent-Type: application/problem+json\r\n");
                drained.join();
            }
        });
    }

    private static void awaitInFlight(TestServer server) {
        Await.until("the second request to be in flight", LONG, () -> server.get("/v1/status")
                .body()
                .contains("\"allowed\":2"));
    }

    /** The last request is unfinished until the end, so the server still waits for it during all other steps. */
    @Test
    void connections_are_closed_as_soon_as_they_are_idle_and_none_is_accepted() throws IOException, Http2Exception {
        String body = "{\"policy\": \"api\", \"attributes\": {\"user\": \"bob\"}}";
        try (TestServer server = new TestServer(settings(LONG.multipliedBy(2)), SHAPED);
                Socket idle = connect(server);
                Http2Client soonIdle = new Http2Client(server.server.address());
                Socket last = connect(server)) {
            InetSocketAddress address = server.server.address();
            write(idle, CHECK.formatted("0ms"));
            assertThat(head(idle)).startsWith("HTTP/1.1 200 ");
            int stream = soonIdle.post();
            soonIdle.ping();
            write(
                    last,
                    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                            + "Expect: 100-continue\r\nContent-Length: " + body.length() + "\r\n\r\n");
            assertThat(head(last)).startsWith("HTTP/1.1 100 ");

            CompletableFuture<Void> drained = CompletableFuture.runAsync(server.server::drain);

            idle.getInputStream().readAllBytes();
            assertThatThrownBy(() -> connect(address)).isInstanceOf(ConnectException.class);
            soonIdle.data(stream, body, true);
            assertThat(soonIdle.status(stream)).isEqualTo("200");
            soonIdle.awaitClosed();
            write(last, body);
            assertThat(head(last)).startsWith("HTTP/1.1 200 ").containsIgnoringCase("Connection: close");
            drained.join();
        }
    }

    /** The request is finished after GOAWAY, which the client receives after half of the timeout. */
    @Test
    void an_http_2_request_in_flight_is_finished_after_goaway() throws Exception {
        Duration timeout = Duration.ofSeconds(4);
        TimedAttempt.run(timeout, attempt -> {
            try (TestServer server = new TestServer(settings(timeout), SHAPED);
                    Http2Client client = new Http2Client(server.server.address())) {
                int stream = client.post();
                client.ping();

                attempt.start();
                CompletableFuture<Void> drained = CompletableFuture.runAsync(server.server::drain);
                client.next(Http2Client.GOAWAY);
                client.data(stream, "{\"policy\": \"api\", \"attributes\": {\"user\": \"bob\"}}", true);

                assertThat(client.status(stream)).isEqualTo("200");
                drained.join();
            }
        });
    }

    /** The client sends its next request after each response. No request that was read is lost or fails. */
    @Test
    void a_client_that_never_pauses_loses_no_request_that_was_counted() {
        Policy plain = Policy.of("api", Limit.slidingWindow(1_000_000, Duration.ofMinutes(1)), Attributes.USER);
        try (TestServer server = new TestServer(settings(LONG), plain)) {
            AtomicBoolean started = new AtomicBoolean();
            // A stopped server has no address.
            InetSocketAddress address = server.server.address();
            CompletableFuture<Integer> answered =
                    CompletableFuture.supplyAsync(() -> countResponsesUntilRefused(address, started));
            Await.until("the first response", LONG, started::get);

            server.server.drain();

            long used = 1_000_000 - server.remaining("api", "alice");
            assertThat(answered.join()).isEqualTo((int) used).isPositive();
        }
    }

    private static int countResponsesUntilRefused(InetSocketAddress address, AtomicBoolean started) {
        int answered = 0;
        while (true) {
            try (Socket socket = connect(address)) {
                while (true) {
                    write(socket, CHECK.formatted("0ms"));
                    String head = head(socket);
                    assertThat(head).startsWith("HTTP/1.1 200 ");
                    answered++;
                    started.set(true);
                    if (head.contains("close")) {
                        break;
                    }
                }
            } catch (ConnectException e) {
                return answered;
            } catch (IOException e) {
                // Closed before the request was read, so it was not counted: the next server gets it.
            }
        }
    }

    private static ServerSettings settings(Duration drainTimeout) {
        return ServerSettings.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .drainDelay(Duration.ZERO)
                .drainTimeout(drainTimeout)
                .requestTimeout(LONG)
                .build();
    }

    private static Socket connect(TestServer server) throws IOException {
        return connect(server.server.address());
    }

    private static Socket connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String head(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new SocketException("closed after " + head);
            }
            head.append((char) next);
        }
        return head.toString();
    }
}
