package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.ServerProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Malformed and incomplete requests cause at most one log line per minute, and no stack trace. */
class MalformedTrafficIT {

    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    private static final String JSON =
            "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

    private static final List<String> MALFORMED = List.of(
            "\u0016\u0003\u0001\u0000\u00a5 hello, is this TLS?\r\n\r\n",
            "GET / HTTP/9.9\r\n\r\n",
            "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET http:// HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\n: nothing\r\n\r\n",
            "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
            JSON + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            JSON + "Content-Length: 100\r\n\r\n{\"policy\"",
            "GET / HTTP/1.1\r\nHost: localhost\r\nExpect: 200-ok\r\n\r\n",
            PREFACE + "this is no frame of HTTP/2 at all, but it is long enough to be read as one",
            // SETTINGS, then a header block that cannot be decoded.
            PREFACE + "\0\0\0\u0004\0\0\0\0\0\0\0\u0004\u0001\u0005\0\0\0\u0001\u00ff\u00ff\u00ff\u00ff");

    @Test
    void a_hundred_malformed_connections_are_at_most_one_line_a_minute() throws Exception {
        try (ServerProcess server =
                ServerProcess.start("serve", "--policies", "../examples/policies.yaml", "--port", "0")) {
            URI address = URI.create(server.awaitLine("listening on (http://\\S+)"));
            server.awaitLine("try: curl");
            int before = server.output().size();
            long start = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                for (String malformed : MALFORMED) {
                    send(address, malformed);
                }
            }
            assertThat(send(address, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                    .endsWith("alive\n");
            server.terminate();
            server.awaitExit();

            Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
            List<String> lines = server.output();
            assertThat(lines.subList(before, lines.size()))
                    .noneMatch(line -> line.startsWith("\tat ") || line.contains("Exception"))
                    .filteredOn(line -> !line.contains("stop"))
                    .hasSizeLessThanOrEqualTo(1 + (int) elapsed.toMinutes());
        }
    }

    /** Sends the text, and reads until the server closes the connection. An incomplete request ends with the text. */
    private static String send(URI address, String bytes) throws IOException {
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.setSoTimeout(60_000);
            ByteArrayOutputStream response = new ByteArrayOutputStream();
            try {
                socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
                socket.shutdownOutput();
                socket.getInputStream().transferTo(response);
            } catch (SocketException e) {
                // The server closed the connection before it read everything.
            }
            return response.toString(StandardCharsets.UTF_8);
        }
    }
}
