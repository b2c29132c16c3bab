package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.Policies;
import io.headgate.server.TestServer;
import io.headgate.testkit.Await;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The server closes the connection of an incomplete request, and advertises its limit on HTTP/2 streams. */
class BoundsTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Engine engine = Engine.inMemory(new Counts());
    private static final HeadgateServer server = HeadgateServer.start(
            ServerSettings.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .drainDelay(Duration.ZERO)
                    .requestTimeout(Duration.ofMillis(300))
                    .build(),
            engine,
            Policies.of(List.of(TestServer.API)),
            new Counts());

    @AfterAll
    static void stop() {
        server.close();
        engine.close();
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /v1/check, application/json, 408",
        "POST, /v1/check, text/plain, 415",
        "POST, /check/api, application/json, 405",
        "GET, /check/api?user=alice, application/json, 200",
        "GET, /nothing, application/json, 404",
    })
    void an_incomplete_body_gets_a_response_and_its_connection_is_closed(
            String method, String path, String type, int status) throws IOException {
        try (Socket socket = connect()) {
            write(
                    socket,
                    "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: 65000\r\n\r\n{"
                            .formatted(method, path, type));

            String response = head(socket);

            assertThat(response)
                    .startsWith("HTTP/1.1 " + status + " ")
                    .containsIgnoringCase("\r\nConnection: close\r\n");
            Await.until("the server to close it, however the body trickles", LONG, () -> {
                try {
                    write(socket, " ");
                    return false;
                } catch (IOException e) {
                    return true;
                }
            });
        }
    }

    @Test
    void the_response_to_a_complete_request_does_not_announce_a_close() throws IOException {
        String body = "{\"policy\": \"api\", \"attributes\": {\"user\": \"bob\"}}";
        try (Socket socket = connect()) {
            write(
                    socket,
                    "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                            + "Content-Length: " + body.length() + "\r\n\r\n" + body);

            assertThat(head(socket)).startsWith("HTTP/1.1 200 ").doesNotContainIgnoringCase("Connection:");
        }
    }

    @Test
    void http_2_advertises_the_maximum_number_of_streams() throws IOException {
        try (Socket socket = connect()) {
            write(socket, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
            socket.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}); // our settings: none

            int maxConcurrentStreams = 3;
            assertThat(settings(new DataInputStream(socket.getInputStream())))
                    .containsEntry(maxConcurrentStreams, 1000L);
        }
    }

    /** The first frame of a server: its settings, each of 2 bytes for its number and 4 for its value. */
    private static Map<Integer, Long> settings(DataInputStream in) throws IOException {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        assertThat(in.readUnsignedByte()).as("type").isEqualTo(4);
        in.readNBytes(5);
        Map<Integer, Long> settings = new HashMap<>();
        for (int i = 0; i < length; i += 6) {
            settings.put(in.readUnsignedShort(), Integer.toUnsignedLong(in.readInt()));
        }
        return settings;
    }

    private static Socket connect() throws IOException {
        Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort());
        socket.setSoTimeout((int) LONG.toMillis());
        return socket;
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String head(Socket socket) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).as("after " + head).isNotNegative();
            head.append((char) next);
        }
        return head.toString();
    }
}
