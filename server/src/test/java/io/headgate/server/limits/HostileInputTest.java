package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hostile input gets a defined response, and the server continues. */
class HostileInputTest {

    private static final TestServer server = new TestServer();

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.forget();
    }

    @ParameterizedTest(name = "[{index}]")
    @ValueSource(
            strings = {
                "\\u0000",
                "a\\nb\\r\\n",
                "{user}:*?",
                "😀",
                "\\ud83d\\ude00",
                "<script>alert(1)</script>",
                "'; DROP TABLE users; --",
                "../../etc/passwd",
                "%n%s%x"
            })
    void an_odd_id_in_json_is_counted_like_any_other(String id) {
        for (int remaining = 2; remaining >= 0; remaining--) {
            assertThat(checkUser(id).body()).contains("\"allowed\":true", "\"remaining\":" + remaining);
        }
        assertThat(checkUser(id).body()).contains("\"deniedBy\":\"per-user\"");
    }

    @Test
    void half_of_a_surrogate_pair_is_refused() {
        HttpResponse<String> response = checkUser("\\ud800");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("attribute \\\"user\\\" has half of a surrogate pair");
    }

    @Test
    void a_long_id_that_fits_the_body_is_counted() {
        assertThat(checkUser("x".repeat(65_000)).body()).contains("\"remaining\":2");
        assertThat(checkUser("x".repeat(65_000)).body()).contains("\"remaining\":1");
    }

    @Test
    void an_emoji_is_the_same_user_in_json_in_the_query_and_in_a_field() throws IOException {
        assertThat(checkUser("😀").body()).contains("\"remaining\":2");
        assertThat(server.get("/check/api?user=%F0%9F%98%80").headers().firstValue("X-RateLimit-Remaining"))
                .contains("1");
        assertThat(raw("GET /check/api HTTP/1.1\r\nHost: localhost\r\nHeadgate-User: 😀\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200 ")
                .contains("X-RateLimit-Remaining: 0");
    }

    @Test
    void a_nul_in_the_query_is_refused() {
        HttpResponse<String> response = server.get("/check/api?user=a%00b");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
    }

    @Test
    void a_field_that_is_not_utf_8_is_counted() throws IOException {
        byte[] request = "GET /check/api HTTP/1.1\r\nHost: localhost\r\nHeadgate-User: ?\r\nConnection: close\r\n\r\n"
                .getBytes(StandardCharsets.ISO_8859_1);
        request[new String(request, StandardCharsets.ISO_8859_1).indexOf('?')] = (byte) 0xff;

        assertThat(raw(request)).startsWith("HTTP/1.1 200 ").contains("X-RateLimit-Remaining: 2");
    }

    @ParameterizedTest(name = "[{index}]")
    @ValueSource(
            strings = {
                "GET /check/api?user=X HTTP/1.1\r\nHost: localhost\r\nHeadgate-User: X\r\n\r\n",
                "GET /check/api HTTP/1.1\r\nHost: localhost\r\nX-Long: X\r\n\r\n",
                "X /check/api HTTP/1.1\r\nHost: localhost\r\n\r\n",
            })
    void a_line_of_a_megabyte_is_rejected(String form) throws IOException {
        String response = raw(form.replace("X", "x".repeat(1_000_000)));

        // Empty if the server closed the connection before it read everything, so that the network dropped its
        // response.
        assertThat(response).matches(text -> text.isEmpty() || text.startsWith("HTTP/1.1 4"));
        assertAlive();
    }

    @Test
    void bytes_that_are_not_http_are_rejected() throws IOException {
        assertThat(raw("\u0016\u0003\u0001\u0000 hello\r\n\r\n")).startsWith("HTTP/1.1 400");
        assertAlive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/nothing", "/v1/", "/check", "/check/", "/check/api/more", "/.git/config"})
    void an_unknown_path_is_404_with_a_problem(String path) {
        HttpResponse<String> response = server.get(path);

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(response.body()).contains("there is nothing at this path");
    }

    private static void assertAlive() {
        assertThat(server.get("/healthz").statusCode()).isEqualTo(200);
    }

    private static HttpResponse<String> checkUser(String id) {
        return server.check("{\"policy\": \"api\", \"attributes\": {\"user\": \"" + id + "\"}}");
    }

    private static String raw(String request) throws IOException {
        return raw(request.getBytes(StandardCharsets.UTF_8));
    }

    /** Sends bytes that no client would send, and reads until the server closes the connection. */
    private static String raw(byte[] request) throws IOException {
        try (Socket socket = new Socket(
                server.server.address().getAddress(), server.server.address().getPort())) {
            socket.setSoTimeout(60_000);
            ByteArrayOutputStream response = new ByteArrayOutputStream();
            try {
                socket.getOutputStream().write(request);
                socket.getInputStream().transferTo(response);
            } catch (SocketException e) {
                // The server closed the connection before it read everything.
            }
            return response.toString(StandardCharsets.UTF_8);
        }
    }
}
