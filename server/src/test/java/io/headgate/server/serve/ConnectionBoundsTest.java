package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Limit;
import io.headgate.limits.Policy;
import io.headgate.server.TestServer;
import io.headgate.server.TimedAttempt;
import io.headgate.testkit.Await;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bounds on one connection and on one client, as clients observe them. */
@Timeout(300)
class ConnectionBoundsTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(50);

    /** The longest time that a request for a hold may wait. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(10);

    private static final int MAX_STREAMS = 1000;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int REFUSED_STREAM = 7;

    private static final TestServer server = new TestServer(
            ServerSettings.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .drainDelay(Duration.ZERO)
                    .maxConnections(10)
                    .maxConnectionsPerClient(2)
                    .maxWaiting(1)
                    .build(),
            Policies.of(
                    List.of(
                            TestServer.API,
                            Policy.of(
                                    "slow",
                                    Limit.leakyBucket(100_000, 1, Duration.ofSeconds(90))
                                            .shaper())),
                    List.of(
                            InFlightPolicy.named("exports").rule("global", 1).build(),
                            InFlightPolicy.named("reports").rule("global", 1).build())));

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void pipelined_requests_are_answered_one_after_another_whatever_their_bodies_contain() throws IOException {
        String body = "{\"policy\": \"api\",\r\n\r\n\n\n \"attributes\": {\"user\": \"carol\"}}";
        String post = "POST /v1/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
                + body.length() + "\r\n\r\n" + body;
        String get = "GET /nothing/%d HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            requests.append(post).append(get.formatted(i));
        }
        try (Socket socket = connect("127.0.0.5")) {
            socket.getOutputStream().write(requests.toString().getBytes(StandardCharsets.US_ASCII));

            List<String> statuses = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                statuses.add(status(socket.getInputStream()));
            }

            for (int i = 0; i < 200; i += 2) {
                assertThat(statuses.subList(i, i + 2)).containsExactly("200", "404");
            }
        }
    }

    /** The first request waits for a hold. The second is denied if it is decided later, because its user has no permits by then. */
    @ParameterizedTest
    @ValueSource(strings = {"", "Expect: 100-continue\r\n"})
    void a_pipelined_request_begins_when_the_one_before_it_has_its_response(String expect) throws Exception {
        TimedAttempt.run(MAX_WAIT, attempt -> requirePipelinedRequestAfterTheOther(expect, attempt));
    }

    private static void requirePipelinedRequestAfterTheOther(String expect, TimedAttempt attempt) throws IOException {
        server.forget(); // so that the user has permits, and no client has a hold of an earlier attempt
        String check = "/check/api?user=dave" + expect.length();
        String held = server.post("/v1/holds", "{\"policy\": \"reports\"}").body();
        String body = "{\"policy\": \"reports\", \"maxWaitSeconds\": " + MAX_WAIT.toSeconds() + "}";
        String post = "POST /v1/holds HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" + expect
                + "Content-Length: " + body.length() + "\r\n\r\n" + body;
        try (Socket socket = connect("127.0.0.7")) {
            String next = "GET " + check + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
            attempt.start();
            socket.getOutputStream().write((post + next).getBytes(StandardCharsets.US_ASCII));

            for (int i = 0; i < 3; i++) {
                assertThat(server.get(check).statusCode()).isEqualTo(200);
            }
            server.post("/v1/holds/release", "{\"policy\": \"reports\", \"hold\": \"" + ticket(held) + "\"}");

            if (!expect.isEmpty()) {
                assertThat(status(socket.getInputStream())).isEqualTo("100");
            }
            String response = response(socket.getInputStream());
            assertThat(response).startsWith("HTTP/1.1 200 ");
            assertThat(status(socket.getInputStream())).isEqualTo("429");
            server.post("/v1/holds/release", "{\"policy\": \"reports\", \"hold\": \"" + ticket(response) + "\"}");
        }
    }

    private static String ticket(String response) {
        return response.replaceAll("(?s).*\"hold\":\"([^\"]+)\".*", "$1");
    }

    @Test
    void a_client_that_never_acknowledges_settings_opens_no_more_streams_than_are_advertised() throws IOException {
        try (Socket socket = connect("127.0.0.6")) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            all.writeBytes(new byte[] {0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0}); // SETTINGS: a window of 0
            for (int i = 0; i < MAX_STREAMS + 10; i++) {
                int stream = 2 * i + 1;
                all.writeBytes(new byte[] {0, 0, 3, 1, 5, 0, 0, (byte) (stream >> 8), (byte) stream}); // HEADERS
                all.writeBytes(new byte[] {(byte) 0x82, (byte) 0x84, (byte) 0x86}); // GET / http
            }
            Thread writer = new Thread(() -> {
                try {
                    socket.getOutputStream().write(all.toByteArray());
                } catch (IOException e) {
                    // The reader finds the connection closed.
                }
            });
            writer.start();

            DataInputStream in = new DataInputStream(socket.getInputStream());
            int answered = 0;
            int refused = 0;
            while (answered + refused < MAX_STREAMS + 10) {
                int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
                int type = in.readUnsignedByte();
                in.readUnsignedByte();
                int stream = in.readInt();
                byte[] payload = in.readNBytes(length);
                if (type == HEADERS) {
                    answered++;
                } else if (type == RST_STREAM) {
                    refused++;
                    assertThat(payload[3]).isEqualTo((byte) REFUSED_STREAM);
                    assertThat(stream).isGreaterThan(2 * MAX_STREAMS);
                }
            }

            assertThat(answered).isEqualTo(MAX_STREAMS);
            assertThat(refused).isEqualTo(10);
        }
    }

    @Test
    void the_connections_of_each_address_are_bounded_separately() throws IOException {
        try (Socket one = connect("127.0.0.3");
                Socket two = connect("127.0.0.3");
                Socket other = connect("127.0.0.4")) {
            assertThat(check(one)).isEqualTo("404");
            assertThat(check(two)).isEqualTo("404");
            try (Socket three = connect("127.0.0.3")) {
                assertThat(isClosed(three)).isTrue();
            }
            assertThat(check(other)).isEqualTo("404");
            assertThat(check(one)).isEqualTo("404");
        }
    }

    /** The check that waits has its response after four seconds. On a slow machine, another one must wait then. */
    @Test
    void a_check_above_the_maximum_of_waiting_ones_is_rejected_and_charged_nothing() {
        Deque<CompletableFuture<HttpResponse<String>>> held = new ArrayDeque<>();
        AtomicReference<HttpResponse<String>> rejected = new AtomicReference<>();
        remaining(); // so that the bucket delays all further checks
        Await.until("a rejected check that was charged nothing", TIMEOUT, () -> {
            if (held.isEmpty() || held.getLast().isDone()) {
                held.add(server.client.sendAsync(
                        HttpRequest.newBuilder(server.at("/check/slow?hold=4s")).build(), BodyHandlers.ofString()));
            }
            long before = remaining();
            HttpResponse<String> response = server.get("/check/slow?hold=1ms&deny=403");
            rejected.set(response);
            // The second measurement takes one permit.
            return remaining() == before - 1 && response.statusCode() == 403;
        });

        HttpResponse<String> refused = Objects.requireNonNull(rejected.get());
        assertThat(refused.headers().firstValue("Retry-After")).contains("1");
        assertThat(refused.body()).contains("the server has its maximum of 1 waiting requests", "nothing was charged");

        assertThat(held).anyMatch(one -> one.join().statusCode() == 200);
        // A client may receive its response shortly before the server stops counting the request.
        Await.until(
                "a check to wait again",
                TIMEOUT,
                () -> server.get("/check/slow?hold=1ms").statusCode() == 200);
    }

    private static long remaining() {
        return server.get("/check/slow?hold=0ms")
                .headers()
                .firstValueAsLong("X-RateLimit-Remaining")
                .orElseThrow();
    }

    @Test
    void a_hold_above_the_maximum_of_waiting_ones_is_rejected_until_another_stops_waiting() throws Exception {
        TimedAttempt.run(MAX_WAIT, ConnectionBoundsTest::requireHoldRejectedWhileAnotherWaits);
    }

    private static void requireHoldRejectedWhileAnotherWaits(TimedAttempt attempt) {
        server.forget(); // so that no client has a hold of an earlier attempt
        String body = "{\"policy\": \"exports\", \"maxWaitSeconds\": %s}";
        HttpResponse<String> first = server.post("/v1/holds", body.formatted(0));
        String ticket = ticket(first.body());
        Deque<CompletableFuture<HttpResponse<String>>> sent =
                new ArrayDeque<>(List.of(CompletableFuture.completedFuture(first)));

        Await.until("one to wait, and the other to be refused", TIMEOUT, () -> {
            if (sent.getLast().isDone()) { // rejected, because the other request waited at that moment
                attempt.start();
                sent.add(server.client.sendAsync(
                        HttpRequest.newBuilder(server.at("/v1/holds"))
                                .header("Content-Type", "application/json")
                                .POST(BodyPublishers.ofString(body.formatted(MAX_WAIT.toSeconds())))
                                .build(),
                        BodyHandlers.ofString()));
            }
            HttpResponse<String> second = server.post("/v1/holds", body.formatted(0.001));
            assertThat(second.statusCode()).isEqualTo(429);
            return second.body().contains("the server has its maximum of 1 waiting requests")
                    && second.headers().firstValue("Retry-After").orElse("").equals("1")
                    && !sent.getLast().isDone();
        });

        server.post("/v1/holds/release", "{\"policy\": \"exports\", \"hold\": \"" + ticket + "\"}");
        assertThat(sent.getLast().join().statusCode()).isEqualTo(200);
        assertThat(server.post("/v1/holds", body.formatted(0.001)).body()).contains("are held");
    }

    private static String check(Socket socket) throws IOException {
        socket.getOutputStream()
                .write("GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return status(socket.getInputStream());
    }

    private static boolean isClosed(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (IOException e) {
            return true;
        }
    }

    private static Socket connect(String from) throws IOException {
        Socket socket = new Socket(
                server.server.address().getAddress(),
                server.server.address().getPort(),
                InetAddress.getByAddress(address(from)),
                0);
        socket.setSoTimeout(50_000);
        return socket;
    }

    private static byte[] address(String text) {
        byte[] address = new byte[4];
        String[] parts = text.split("\\.", -1);
        for (int i = 0; i < 4; i++) {
            address[i] = (byte) Integer.parseInt(parts[i]);
        }
        return address;
    }

    private static String status(InputStream in) throws IOException {
        return response(in).substring(9, 12);
    }

    private static String response(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            assertThat(next).as("after " + head).isNotNegative();
            head.append((char) next);
        }
        int length = head.toString()
                .lines()
                .filter(line -> line.regionMatches(true, 0, "Content-Length:", 0, 15))
                .mapToInt(line -> Integer.parseInt(line.substring(15).trim()))
                .findFirst()
                .orElse(0);
        return head + new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }
}
