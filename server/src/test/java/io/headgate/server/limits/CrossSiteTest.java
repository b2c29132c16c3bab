package io.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.TestServer;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that a page of another site makes a browser send are rejected by the header fields that browsers set. */
class CrossSiteTest {

    private static final TestServer server = new TestServer();

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.forget();
    }

    /** The fields that Chromium sends for an img, a fetch with no-cors, a link and a form of http://evil.example, and variants. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image",
                "Sec-Fetch-Site: same-site",
                "Sec-Fetch-Site: anything",
                "Referer: http://evil.example/",
                "Referer: https://evil.example",
                "Referer: http://localhost:1/",
                "Referer: http://SELF@evil.example/",
                "Referer: http://evil.example/?http://SELF/",
                "Origin: http://evil.example",
                "Origin: null",
            })
    void a_check_of_another_site_is_403_and_counts_nothing(String fields) throws IOException {
        String response = check(fields);

        assertThat(response).startsWith("HTTP/1.1 403 ").contains("comes from a page of another site");
        assertThat(server.remaining("api", "alice")).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X: y",
                "Sec-Fetch-Site: none",
                "Sec-Fetch-Site: same-origin\r\nReferer: http://SELF/",
                "Referer: http://SELF/page?x=http://evil.example/",
                "Referer: ",
                "Origin: http://SELF",
            })
    void a_check_of_the_servers_own_page_or_of_a_program_counts(String fields) throws IOException {
        assertThat(check(fields)).startsWith("HTTP/1.1 200 ");
        assertThat(server.remaining("api", "alice")).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/check", "/v1/refund", "/v1/holds", "/v1/holds/renew", "/v1/holds/release"})
    void every_other_call_that_changes_a_count_is_403_from_another_site(String path) {
        HttpResponse<String> response = server.send(server.json(path, "{}").header("Sec-Fetch-Site", "cross-site"));

        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body()).contains("comes from a page of another site");
    }

    @ParameterizedTest
    @CsvSource({"/check/api?user=alice", "/", "/v1/status", "/v1/check", "/readyz", "/nothing"})
    void a_host_that_is_not_a_name_of_the_server_is_421_and_the_option_is_named(String path) throws IOException {
        String response = send("GET " + path + " HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");

        assertThat(response)
                .startsWith("HTTP/1.1 421 ")
                .contains("host \\\"evil.example\\\" is not a name of this server", "--allow-host NAME");
        assertThat(server.remaining("api", "alice")).isEqualTo(3);
    }

    @Test
    void a_request_of_http_1_0_needs_no_host() throws IOException {
        assertThat(send("GET /healthz HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 200 ");
    }

    /** Sends a check with these fields, in which SELF stands for the address of the server. */
    private static String check(String fields) throws IOException {
        return send("GET /check/api?user=alice HTTP/1.1\r\nHost: " + server.address() + "\r\n"
                + fields.replace("SELF", server.address()) + "\r\nConnection: close\r\n\r\n");
    }

    private static String send(String request) throws IOException {
        try (Socket socket = new Socket(
                server.server.address().getAddress(), server.server.address().getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
