package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The boundaries of HTTP/1 requests are unambiguous, however their bytes are divided into pieces. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // also if an event loop of the server never returns
class RequestFramingTest {

    private static final String BODY = "{\"policy\": \"api\",\n \"attributes\": {\"user\": \"bob\"}}\n";
    private static final String CHUNKED =
            "5\r\n{\"pol\r\n" + Integer.toHexString(BODY.length() - 5) + "\r\n" + BODY.substring(5) + "\r\n0\r\n\r\n";
    private static final String POST =
            "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    private static final String LAST = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    /** More pieces than a {@code ConnectionGate} passes on before it serves other connections. */
    private static final String EMPTY_LINES = "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n";

    private static final TestServer server = new TestServer();

    @AfterAll
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.forget();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                "Transfer-Encoding: chunked\r\nCONTENT-length:5\r\n\r\n",
                "transfer-encoding: Chunked\r\nX: y\r\ncontent-length: 0\r\n\r\n",
            })
    void a_content_length_with_chunked_encoding_is_400_and_the_connection_closed(String fields) throws IOException {
        assertThat(sendRaw(POST + fields + CHUNKED + LAST, Integer.MAX_VALUE))
                .startsWith("HTTP/1.1 400 ")
                .contains("Content-Length and Transfer-Encoding: chunked exclude each other; send one of them")
                .doesNotContain("HTTP/1.1 200");
        assertThat(server.remaining("api", "bob")).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Transfer-Encoding: chunked, chunked\r\n",
                "Transfer-Encoding: chunked, identity\r\n",
                "Transfer-Encoding: gzip, chunked\r\n",
                "Transfer-Encoding: xchunked\r\n",
                "Transfer-Encoding: identity\r\nContent-Length: 5\r\n",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            })
    void another_transfer_encoding_than_chunked_is_400_and_the_connection_closed(String fields) throws IOException {
        assertThat(sendRaw(POST + fields + "\r\n" + CHUNKED + LAST, Integer.MAX_VALUE))
                .startsWith("HTTP/1.1 400 ")
                .contains("Transfer-Encoding must be chunked, once")
                .doesNotContain("HTTP/1.1 200");
        assertThat(server.remaining("api", "bob")).isEqualTo(3);
    }

    @Test
    void a_field_whose_name_begins_with_content_length_is_another_field() throws IOException {
        assertThat(sendRaw(
                        POST + "Content-Length-X: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKED + LAST,
                        Integer.MAX_VALUE))
                .startsWith("HTTP/1.1 200 ");
    }

    @Test
    void chunked_encoding_in_http_1_0_is_400_and_the_connection_closed() throws IOException {
        String post = POST.replace("HTTP/1.1", "HTTP/1.0");
        assertThat(sendRaw(post + "Transfer-Encoding: chunked\r\n\r\n" + CHUNKED + LAST, Integer.MAX_VALUE))
                .contains(" 400 ")
                .contains("Transfer-Encoding must be chunked, once, in HTTP/1.1")
                .doesNotContain(" 200 ");
        assertThat(server.remaining("api", "bob")).isEqualTo(3);
    }

    /** The body takes several reads. The last one may also contain the whole second request. */
    @ParameterizedTest
    @ValueSource(ints = {5_000, 20_000, 40_000, 60_000})
    void a_request_after_a_long_body_is_read_from_its_beginning(int spaces) throws IOException {
        String body = BODY + " ".repeat(spaces);
        String plain = POST + "Content-Length: " + body.length() + "\r\n\r\n" + body;
        String chunked = POST + "Transfer-Encoding: chunked\r\n\r\n" + CHUNKED;
        String ambiguous = POST + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKED;

        assertThat(sendRaw(plain + chunked + ambiguous + LAST, Integer.MAX_VALUE))
                .contains("Content-Length and Transfer-Encoding: chunked exclude each other")
                .doesNotContain("alive");
        assertThat(server.remaining("api", "bob")).isEqualTo(1);
    }

    @Test
    void a_content_length_of_an_earlier_request_or_in_trailers_is_ignored() throws IOException {
        String spaced = BODY.replace("\n", "\n \n");
        String request = POST + "Content-Length: " + BODY.length() + "\r\n\r\n" + BODY
                + POST + "Transfer-Encoding: chunked\r\n\r\n" + CHUNKED
                + POST + "Transfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(spaced.length()) + "\r\n" + spaced
                + "\r\n0\r\ncontent-length: 5\r\n\r\n" + LAST;

        for (int pieces : new int[] {Integer.MAX_VALUE, 1, 7, 64}) {
            server.forget();
            String responses = sendRaw(request, pieces);
            assertThat(responses.split("HTTP/1\\.1 200", -1)).as(responses).hasSize(5);
            assertThat(server.remaining("api", "bob")).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /healthz HTTP/1.1\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nHostile: localhost\r\n\r\n",
            })
    void a_request_of_http_1_1_without_a_host_is_400(String request) throws IOException {
        assertThat(sendRaw(request, Integer.MAX_VALUE))
                .startsWith("HTTP/1.1 400 ")
                .contains("a request of HTTP/1.1 must have the field Host");
    }

    /** Bytes after a request that could not be decoded once kept an event loop busy endlessly. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\nX",
                "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nXYZ",
                "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: abc\r\n\r\nX",
                "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nExpect: x\r\nContent-Length: 1\r\n\r\nXY",
            })
    void bytes_after_a_rejected_request_do_not_delay_other_clients(String request) throws IOException {
        // More than there are event loops.
        for (int i = 0; i < 16; i++) {
            try (Socket socket = new Socket(
                    server.server.address().getAddress(),
                    server.server.address().getPort())) {
                socket.setSoTimeout(60_000);
                socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                assertThat(socket.getInputStream().read()).isEqualTo('H');
            }
        }
        assertThat(sendRaw(LAST, Integer.MAX_VALUE)).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void a_body_in_many_pieces_is_read_as_one() throws IOException {
        String lines = BODY + "\n".repeat(60_000);
        String oneChunk = Integer.toHexString(lines.length()) + "\r\n" + lines + "\r\n0\r\n\r\n";
        StringBuilder chunks = new StringBuilder();
        lines.chars().forEach(c -> chunks.append("1\r\n").append((char) c).append("\r\n"));

        for (String body : List.of(oneChunk, chunks + "0\r\n\r\n", chunks + "0\r\nchecksum: 1\r\n\r\n")) {
            server.forget();
            assertThat(sendRaw(POST + "Transfer-Encoding: chunked\r\n\r\n" + body + LAST, Integer.MAX_VALUE))
                    .startsWith("HTTP/1.1 200 ")
                    .endsWith("alive\n");
            assertThat(server.remaining("api", "bob")).isEqualTo(2);
        }
    }

    @Test
    void a_chunked_body_of_64_KiB_is_read_and_one_more_byte_is_413() throws IOException {
        String longest = BODY + " ".repeat(HeadgateServer.MAX_REQUEST_BYTES - BODY.length());
        String chunk = "10000\r\n" + longest + "\r\n";
        String post = POST + "Transfer-Encoding: chunked\r\n\r\n" + chunk;

        assertThat(sendRaw(post + "0\r\n\r\n" + LAST, Integer.MAX_VALUE)).startsWith("HTTP/1.1 200 ");
        assertThat(sendRaw(post + "1\r\n \r\n", Integer.MAX_VALUE)).startsWith("HTTP/1.1 413 ");
    }

    @Test
    void two_hosts_are_400() throws IOException {
        assertThat(sendRaw("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", Integer.MAX_VALUE))
                .startsWith("HTTP/1.1 400 ")
                .contains("the field Host is given 2 times; send it once");
    }

    /**
     * Otherwise, the server waits three seconds for the client to close the connection first. One of five attempts is sufficient, because a
     * busy machine may delay a close for as long.
     */
    @ParameterizedTest
    @ValueSource(strings = {LAST, EMPTY_LINES + LAST, "GET /healthz HTTP/1.0\r\n\r\n"})
    void a_connection_is_closed_with_the_response_to_its_last_request(String request) {
        assertThat(Stream.generate(() -> request).limit(5)).anyMatch(RequestFramingTest::isClosedWithResponse);
    }

    private static boolean isClosedWithResponse(String request) {
        try (Socket socket = new Socket(
                server.server.address().getAddress(), server.server.address().getPort())) {
            socket.setSoTimeout(2000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8).endsWith("alive\n");
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void all_pipelined_requests_before_the_last_are_answered() throws IOException {
        String get = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
        assertThat(sendRaw(get.repeat(20) + LAST, Integer.MAX_VALUE).split("alive\n", -1))
                .hasSize(22);
    }

    @Test
    void an_upgrade_to_http_2_and_http_2_itself_still_work() {
        for (int i = 0; i < 3; i++) {
            assertThat(server.send(HttpRequest.newBuilder(server.at("/healthz")).version(HttpClient.Version.HTTP_2))
                            .version())
                    .isEqualTo(HttpClient.Version.HTTP_2);
        }
    }

    /** Sends the text in pieces of this number of bytes, and reads until the server closes the connection. */
    private static String sendRaw(String request, int pieceBytes) throws IOException {
        byte[] bytes = request.getBytes(StandardCharsets.US_ASCII);
        try (Socket socket = new Socket(
                server.server.address().getAddress(), server.server.address().getPort())) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(60_000);
            for (int at = 0; at < bytes.length; at += Math.min(pieceBytes, bytes.length - at)) {
                socket.getOutputStream().write(bytes, at, Math.min(pieceBytes, bytes.length - at));
            }
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
