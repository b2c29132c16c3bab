package io.headgate.spring.web.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.web.RunningApplication;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests an application below a base path that writes denied responses itself, before and after Spring Security. */
class HandlingApplicationTest {

    private static final String PROPERTIES =
            """
            spring.webflux.base-path: /app
            headgate:
              web:
                routes:
                  - { path: '/early/{page}', policy: two, by: { key: path-variable(page) }, before-authentication: true }
                  - { path: '/late/{page}', policy: two, by: { key: path-variable(page) } }
            """;

    @SuppressWarnings("NullAway.Init")
    private static RunningApplication application;

    @BeforeAll
    static void start() {
        application = RunningApplication.reactive(HandlingApplication.class, PROPERTIES);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    private static HttpResponse<String> denied(HttpRequest.Builder request) {
        assertThat(application.send(request).statusCode()).isEqualTo(200);
        assertThat(application.send(request).statusCode()).isEqualTo(200);
        return application.send(request);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/early/handled", "/late/handled2"})
    void the_handler_of_the_application_writes_the_response(String path) {
        HttpResponse<String> denied = denied(application.to(path));
        assertThat(denied.statusCode()).isEqualTo(503);
        assertThat(denied.body()).isEqualTo("busy limit");
        assertThat(denied.headers().map()).containsKeys("retry-after", "ratelimit");
        HttpResponse<String> head = application.send(application.to(path).method("HEAD", BodyPublishers.noBody()));
        assertThat(head.statusCode()).isEqualTo(503);
        assertThat(head.body()).isEmpty();
    }

    /** A plain socket sends the next request before Netty has finished the last one, which a real client seldom does. */
    @Test
    void a_connection_stays_usable_after_denied_requests() throws IOException {
        try (Socket socket = application.connect()) {
            BufferedReader responses =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            for (int i = 0; i < 300; i++) {
                String request = "GET /app/early/socket-" + i / 3 + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
                socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                assertThat(responses.readLine()).startsWith(i % 3 < 2 ? "HTTP/1.1 200" : "HTTP/1.1 503");
                int length = 0;
                for (String line = responses.readLine(); !line.isEmpty(); line = responses.readLine()) {
                    length = line.startsWith("Content-Length: ") ? Integer.parseInt(line.substring(16)) : length;
                }
                assertThat(responses.skip(length)).isEqualTo(length);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/early/broken", "/late/broken-2"})
    void a_handler_that_fails_does_not_change_the_status(String path) {
        HttpResponse<String> denied = denied(application.to(path));
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.body()).contains("Quota exceeded");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/early/cors", "/late/cors2"})
    void the_cors_fields_of_spring_security_are_sent_once(String path) {
        HttpResponse<String> denied = denied(application.to(path).header("Origin", "https://page.example"));
        assertThat(denied.headers().allValues("Access-Control-Allow-Origin")).containsExactly("https://page.example");
        assertThat(denied.headers().allValues("Access-Control-Allow-Credentials")).containsExactly("true");
        assertThat(denied.headers().firstValue("Access-Control-Expose-Headers").orElseThrow())
                .contains("Retry-After", "RateLimit-Policy");
    }
}
